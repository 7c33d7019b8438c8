"""The client of a Vaak server: live speech, readings of a text, and the catalogue.

What the official SDKs of OpenAI and ElevenLabs reach is left to them.
"""

from ._aio import AsyncCatalogue, AsyncLive, AsyncTokens, AsyncVaak
from ._captions import captions
from ._error import VaakError
from ._events import LiveAudio, LiveEvent
from ._sync import Catalogue, Live, Tokens, Vaak
from ._types import (
    Dataset,
    DatasetBrief,
    DatasetList,
    DatasetQuery,
    EnquiryReceipt,
    EnquiryRequest,
    FacetCounts,
    FacetQuery,
    LiveCancelled,
    LiveDone,
    LiveLeftOut,
    LiveQuery,
    LiveWord,
    LiveWords,
    NewToken,
    Reading,
    SpeechRequest,
    Token,
    TokenRequest,
)

__all__ = [
    "AsyncCatalogue",
    "AsyncLive",
    "AsyncTokens",
    "AsyncVaak",
    "Catalogue",
    "Dataset",
    "DatasetBrief",
    "DatasetList",
    "DatasetQuery",
    "EnquiryReceipt",
    "EnquiryRequest",
    "FacetCounts",
    "FacetQuery",
    "Live",
    "LiveAudio",
    "LiveCancelled",
    "LiveDone",
    "LiveEvent",
    "LiveLeftOut",
    "LiveQuery",
    "LiveWord",
    "LiveWords",
    "NewToken",
    "Reading",
    "SpeechRequest",
    "Token",
    "TokenRequest",
    "Tokens",
    "Vaak",
    "VaakError",
    "captions",
]
