#!/usr/bin/env python3
"""Takes the lists of words in text/translit/words from the counts of collect.py.

Usage: select.py DIR. A word is taken that stands in messages three times, or once and in a
spelling dictionary. The most frequent come first.
"""
import gzip, os, sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST = 16000
os.makedirs(HERE + '/words', exist_ok=True)
for name in sorted(os.listdir(sys.argv[1] + '/words')):
    rows = []
    with open(sys.argv[1] + '/words/' + name) as f:
        for line in f:
            word, n, dictionaries = line.rstrip('\n').split('\t')
            n, dictionaries = int(n), int(dictionaries)
            if n >= 3 or n and dictionaries:
                rows.append(word)
    rows = rows[:MOST]
    data = '\n'.join(rows) + '\n'
    with open(f'{HERE}/words/{name[:2]}.txt.gz', 'wb') as out:
        with gzip.GzipFile(filename='', mode='wb', fileobj=out, mtime=0, compresslevel=9) as z:
            z.write(data.encode())
    print(name, len(rows))
