"""Looks up every name of ../names.tsv in the list that the table gives as its source.

The lists stay in their packages. Before the first run, in an empty directory:

    python3 -m venv env
    env/bin/pip install faker==40.54.0 mimesis==22.2.0 gender-guesser==0.4.0 pyyaml
    npm install @faker-js/faker@10.6.0
    mvn dependency:copy -Dartifact=net.datafaker:datafaker:2.4.2 -DoutputDirectory=.
    env/bin/python PATH/TO/check_names.py

It prints the names that are not where the table says, and how many are. The
exit status is 1 when one is missing. Bearers are for a person to look up.
"""

import importlib
import importlib.metadata
import importlib.resources
import json
import pathlib
import subprocess
import sys
import unicodedata
import zipfile

import yaml

TABLE = pathlib.Path(__file__).resolve().parent.parent / "names.tsv"
IMPORT = "import(process.argv[1]).then(m => console.log(JSON.stringify(m.faker.rawDefinitions.person.first_name[process.argv[2]])))"
COUNTRIES = (  # the columns of nam_dict.txt, as its head has them
    "GB IE US IT MT PT ES FR BE LU NL FRI DE AT CH IS DK NO SE FI EE LV LT PL CZ SK HU RO BG BA HR XK MK ME RS SI AL"
    " GR RU BY MD UA AM AZ GE KZ TR AR IL CN IN JP KR VN XX"
).split()


def data(package, *path):
    """The text of a file of an installed package."""
    return importlib.resources.files(package).joinpath(*path).read_text("utf-8")


def faker(version, locale, key):
    require("faker", version)
    return getattr(importlib.import_module(f"faker.providers.person.{locale}").Provider, key)


def faker_js(version, locale, key):
    root = pathlib.Path("node_modules/@faker-js/faker").resolve()
    if json.loads((root / "package.json").read_text())["version"] != version:
        sys.exit(f"@faker-js/faker {version} is not installed")
    code = ["node", "-e", IMPORT, str(root / "dist/locale" / f"{locale}.js"), key.removeprefix("person.first_name.")]
    return json.loads(subprocess.run(code, check=True, capture_output=True).stdout)


def mimesis(version, locale, key):
    require("mimesis", version)
    return json.loads(data("mimesis", "datasets", locale, "person.json"))["names"][key.removeprefix("names.")]


def datafaker(version, locale, key):
    with zipfile.ZipFile(f"datafaker-{version}.jar") as jar:
        document = yaml.safe_load(jar.read(locale))
    return document[locale.removesuffix(".yml")]["faker"]["name"][key.removeprefix("name.")]


def gender_guesser(version, file, key):
    require("gender-guesser", version)
    gender, country = key.split()
    column = 30 + COUNTRIES.index(country)
    for line in data("gender_guesser", "data", file).splitlines():
        if line[:2].strip() == gender and line[column : column + 1].strip():
            yield line[3:29].strip()


def require(package, version):
    if importlib.metadata.version(package) != version:
        sys.exit(f"{package} {version} is not installed")


READERS = {
    "faker": faker, "@faker-js/faker": faker_js, "mimesis": mimesis, "datafaker": datafaker, "gender-guesser": gender_guesser,
}  # fmt: skip


def main():
    lists, found, missing, bearers = {}, 0, 0, 0
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        _, name, native, _, source = line.split("\t")
        kind, what = source.split(": ", 1)
        if kind == "bearer":
            bearers += 1
            continue
        if what not in lists:
            package, locale, key = what.split(", ")
            package, version = package.split(" ")
            lists[what] = {unicodedata.normalize("NFC", n) for n in READERS[package](version, locale, key)}
        if {name, native} & lists[what]:
            found += 1
        else:
            missing += 1
            print(f"{name} ({native}) is not in {what}")
    print(f"{found} names are in their lists, {missing} are not; {bearers} have a bearer")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
