// Package browser holds the tests of the console in a browser: they start the program
// as an operator does, and use its pages with a mouse and a keyboard, as people do.
//
// It is a module of its own, so that what drives the browser is no dependency of the
// product. The tests need bin/vaak, or the program that VAAK_PROGRAM names, and
// Chromium. `make screens` writes pictures of the pages to docs/screens.
package browser
