"""Writes the lists of outside/, number words by libraries that know nothing of CLDR.

    pip install num2words==0.5.14 indic-numtowords==1.1.0
    python3 outside.py          # from this directory; checks nothing, writes all

Each list has 0 to 100, round values and 60 random values up to 10^7 (fixed seed).
A number that a library refuses, or never ends on, is left out.
"""

import pathlib
import random
import signal

import indic_numtowords
import num2words

OUT = pathlib.Path(__file__).parent

# Our code, and the library's where it is another.
NUM2WORDS = {
    c: c
    for c in "am ar az be bn ca cs cy da de en eo es fa fi fr he hu id is it ja kn ko lt lv "
    "nl pl ro ru sk sl sr sv te tr uk vi".split()
} | {"en-IN": "en_IN", "kk": "kz", "nb": "no", "pt": "pt_BR"}
INDIC = "as bn brx doi gu hi kn kok ks mai ml mr ne or pa sa sat ta te ur".split()


def numbers():
    chosen = random.Random(48)
    round_ones = [n * unit for unit in (100, 1000, 10**4, 10**5, 10**6) for n in range(1, 10)]
    return list(range(101)) + round_ones + [10**7] + sorted(chosen.randrange(10 ** chosen.randint(3, 7)) for _ in range(60))


def write(name, library, say, numbers):
    lines = []
    for n in numbers:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            words = say(n)
        except Exception:  # whatever a library refuses a number with
            continue
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        words = " ".join(str(words).split())
        if words:
            lines.append(f"{n}\t{words}")
    if lines:
        (OUT / f"{name}.tsv").write_text(f"# {library}\n" + "\n".join(lines) + "\n", encoding="utf-8")


def give_up(signum, frame):
    raise TimeoutError


signal.signal(signal.SIGALRM, give_up)
for code, theirs in NUM2WORDS.items():
    write(code, "num2words 0.5.14", lambda n: num2words.num2words(n, lang=theirs), numbers())
write("pl.ordinal", "num2words 0.5.14, ordinals", lambda n: num2words.num2words(n, lang="pl", to="ordinal"), numbers()[1:])
for code in INDIC:
    name = f"{code}.indic" if code in NUM2WORDS else code
    write(name, "indic-numtowords 1.1.0", lambda n: indic_numtowords.num2words(n, lang=code), numbers())
