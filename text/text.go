// Package text holds what every step of the text chain speaks of: where each
// piece of a step's output came from in its input.
//
// The chain is NFC, respelling, segmentation, normalization, engine form. Each
// step is a pure function that returns its text and a [Map] back to its input;
// maps compose, so a word that an engine reports can be told in the characters
// that the caller sent.
package text
