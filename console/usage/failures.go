package usage

import (
	"slices"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// meaning is what the code of a failed request means, and what the caller can do.
type meaning struct{ Code, Means, Do string }

// meanings are in the order in which the filter offers them: the most common ones first.
var meanings = []meaning{
	{fault.CodeInsufficientQuota, "The characters of the balance, or of the key's month, are spent.", "Ask the operator for more characters, or raise the key's limit with a new key. Trying again does not help before then."},
	{fault.CodeRateLimited, "More requests came in a minute than the plan allows.", "Wait as long as Retry-After says. Spread requests, or ask for a larger plan."},
	{fault.CodeTooManyStreams, "All streams that the plan allows at once were running.", "Try again when one has ended. Close what is not listened to any more, or ask for a larger plan."},
	{fault.CodeInvalidKey, "The key does not exist, was revoked or has expired.", "Use a key that is listed under Keys."},
	{fault.CodeMissingKey, "No key was sent.", "Send it as Authorization: Bearer, or as xi-api-key."},
	{fault.CodeInvalidParameter, "A parameter is missing, malformed or out of its range.", "The answer names the parameter and what it may be."},
	{fault.CodeInvalidBody, "The body could not be read.", "Send one JSON object in UTF-8, and no name in it twice."},
	{fault.CodeTextTooLong, "The text is longer than one request may be.", "Send it in several requests, or over a live connection."},
	{fault.CodeVoiceNotFound, "There is no voice with that id or name.", "Take an id from the list of voices."},
	{dictionary.CodeNotFound, "There is no such pronunciation dictionary, or no such version of it.", "Take the id from Dictionaries."},
	{string(respell.CodePhonemes), "A rule of a dictionary is written in phonemes.", "Write how the word is said in ordinary letters instead."},
	{fault.CodeBodyTooLarge, "The body is larger than is taken.", "Send the text in several requests."},
	{fault.CodeUnsupportedMedia, "The body is of a type that is not taken.", "Send JSON, with Content-Type: application/json."},
	{fault.CodeInvalidMessage, "A message of a live connection could not be understood.", "Send JSON objects of the shapes that the documentation lists."},
	{fault.CodeInputTimeout, "Nothing was sent over a live connection for too long.", "Send text, or keep the connection open as the documentation says."},
	{fault.CodeTooManyContexts, "Too many contexts were open on one connection.", "Close those that have ended, or open another connection."},
	{fault.CodeNotFound, "The address is not there.", "Compare it with the documentation."},
	{"client_closed_request", "The caller left before all was sent.", "Nothing, if that was meant. Otherwise wait longer for answers, or stream them."},
	{"cancelled", "The caller took the request back.", "Nothing, if that was meant."},
	{"timeout", "The request took longer than its transport waits.", "Send less text at once, or stream it."},
	{fault.CodeOverloaded, "The server had more to do than it can.", "Try again in a moment. If it stays, tell the operator."},
	{fault.CodeEngineUnavailable, "The engine that speaks was not there.", "Try again in a moment. If it stays, tell the operator."},
	{fault.CodeStoreUnavailable, "The database was not there, so nothing new was spoken.", "Try again in a moment. If it stays, tell the operator."},
	{fault.CodeInternal, "The server failed. Nothing was charged for what was not sent.", "Tell the operator the id of the request."},
}

// meaningOf returns the meaning of a code. It has words for codes that are not in the list,
// too.
func meaningOf(code string) meaning {
	if i := slices.IndexFunc(meanings, func(m meaning) bool { return m.Code == code }); i >= 0 {
		return meanings[i]
	}
	return meaning{Code: code, Means: "The request was refused.", Do: "The answer says why, and what may be sent."}
}
