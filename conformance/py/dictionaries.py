"""What the tests of pronunciation dictionaries share: a text, how it is to be read, and
dictionaries that say so, made over plain HTTP for clients that cannot make any."""

import os

import httpx

WRITTEN = "We run nginx and kubectl here."
RESPELLED = "We run engine x and cube control here."
RULES = [
    {"type": "alias", "string_to_replace": "nginx", "alias": "engine x"},
    {"type": "alias", "string_to_replace": "kubectl", "alias": "cube control"},
]
NOBODY = "00000000-0000-4000-8000-000000000000"  # an id that no dictionary has


def dictionary(name, rules=RULES):
    """dictionary makes one from rules, as HTTP has them, and returns its id and its version."""
    answer = httpx.post(
        f"{os.environ['VAAK_BASE_URL']}/v1/pronunciation-dictionaries/add-from-rules",
        headers={"xi-api-key": os.environ["VAAK_API_KEY"]},
        json={"name": name, "rules": rules},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["id"], answer.json()["version_id"]
