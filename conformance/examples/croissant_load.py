import json
import os
from urllib.request import urlopen

import mlcroissant as mlc  # pip install mlcroissant

with urlopen(os.environ["VAAK_URL"] + "/api/catalogue/datasets?sample=true") as answer:
    found = json.load(answer)["datasets"][0]

dataset = mlc.Dataset(jsonld=found["croissant"])
print(dataset.metadata.name)
for row in dataset.records("recordings"):
    print(row["recordings/recording_id"].decode(), row["recordings/duration_s"], "s")
