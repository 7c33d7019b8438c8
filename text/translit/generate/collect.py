#!/usr/bin/env python3
"""Counts the words of Indian languages in published packages.

Usage: collect.py DIR. DIR/un holds unpacked Debian packages and wheels, a folder each,
as README.md names them. Writes DIR/words/CODE.tsv: a word a line with its number of
occurrences in messages and the number of spelling dictionaries that have it. Needs
Python 3.11, and prezip-bin of the package aspell-bin for the lists of aspell.
"""
import collections, gettext, glob, gzip, json, os, re, subprocess, sys, unicodedata

BLOCK = {
    'hi': (0x900, 0x97F), 'mr': (0x900, 0x97F), 'bn': (0x980, 0x9FF), 'as': (0x980, 0x9FF), 'pa': (0xA00, 0xA7F),
    'gu': (0xA80, 0xAFF), 'or': (0xB00, 0xB7F), 'ta': (0xB80, 0xBFF), 'te': (0xC00, 0xC7F), 'kn': (0xC80, 0xCFF),
    'ml': (0xD00, 0xD7F), 'ur': (0x600, 0x6FF),
}
LOCALES = {'bn_IN': 'bn', 'pa_IN': 'pa', 'ml_IN': 'ml', 'ur_PK': 'ur', 'pa-in': 'pa', 'ur_IN': 'ur', 'skr-arab': ''}
MARKUP = re.compile(r'<[^<>]*>|\{\{[^{}]*\}\}|\$\d|\$\{?\w+\}?|%[-+ #0]*\d*(?:\$|\.)?\d*[a-zA-Z]|&\w+;')


def words(code, s):
    low, high = BLOCK[code]
    s = unicodedata.normalize('NFC', s).replace('\u200c', '').replace('\u200d', '')
    s = re.sub(r'\([_&~]\w\)|[_&~](?=\w)', '', s)
    for w in re.findall(f'[{chr(low)}-{chr(high)}]+', MARKUP.sub(' ', s)):
        if code == 'ur':
            w = ''.join(c for c in w if not unicodedata.combining(c) and unicodedata.category(c)[0] == 'L')
        w = re.sub('[\u0964\u0965\u0970]', '', w)
        if 1 < len(w) <= 20 and not any(c.isdigit() for c in w) and not unicodedata.combining(w[0]):
            yield w


counts = {code: collections.Counter() for code in BLOCK}
spelt = {code: collections.Counter() for code in BLOCK}


def messages(code, source):
    seen = set()
    for s in source:
        if s not in seen:  # the same message in two programs counts once a catalogue
            seen.add(s)
            counts[code].update(words(code, s))


def main(root):
    found = collections.defaultdict(set)
    for path in sorted(glob.glob(root + '/un/**/*.mo', recursive=True)):
        m = re.search(r'/([^/]+)/LC_MESSAGES/', path)
        if not m:
            continue
        code = LOCALES.get(m.group(1), m.group(1))
        if code not in BLOCK or 'iso_' in path or 'timezones' in path:
            continue
        try:
            with open(path, 'rb') as f:
                found[code].update(s for s in gettext.GNUTranslations(f)._catalog.values() if isinstance(s, str))
        except Exception:  # some files are no catalogues
            continue
    for path in sorted(glob.glob(root + '/un/mediawiki/**/*.json', recursive=True)):
        code = os.path.basename(path)[:-5]
        code = LOCALES.get(code, code)
        if code in BLOCK and not os.path.islink(path):
            with open(path) as f:
                try:
                    found[code].update(s for k, s in json.load(f).items() if k[0] != '@' and isinstance(s, str))
                except Exception:
                    continue
    for code, source in found.items():
        messages(code, sorted(source))
    for path in glob.glob(root + '/un/aspell-*/usr/share/aspell/*.cwl.gz'):
        code = os.path.basename(path)[:2]
        with gzip.open(path) as f:
            text = subprocess.run(['prezip-bin', '-d'], input=f.read(), stdout=subprocess.PIPE, check=True).stdout
        spelt[code].update({w for line in text.decode('utf-8', 'ignore').split() for w in words(code, line.split('/')[0])})
    for path in glob.glob(root + '/un/hunspell-*/usr/share/hunspell/*.dic'):
        code = os.path.basename(path)[:2]
        with open(path, encoding='utf-8', errors='ignore') as f:
            spelt[code].update({w for line in f for w in words(code, line.split('/')[0])})
    os.makedirs(root + '/words', exist_ok=True)
    for code in BLOCK:
        every = set(counts[code]) | set(spelt[code])
        with open(f'{root}/words/{code}.tsv', 'w') as f:
            for w in sorted(every, key=lambda w: (-counts[code][w], -spelt[code][w], w)):
                f.write(f'{w}\t{counts[code][w]}\t{spelt[code][w]}\n')
        print(code, len(every), sum(n > 1 for n in counts[code].values()), sum(counts[code].values()),
              sum(1 for w in spelt[code] if counts[code][w]), len(spelt[code]))


main(sys.argv[1])
