package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// List is several errors about one request: at least two, none of them nil. A caller
// that asks for one error, by errors.As or [KindOf], gets the first.
type List []*Error

// Join returns the errors as one error: nil for none, the error itself for one, a
// [List] for several.
func Join(faults ...*Error) error {
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	return List(slices.Clone(faults))
}

// All returns the errors that [Join] joined into err, and nil when err holds none.
func All(err error) []*Error {
	if list, ok := errors.AsType[List](err); ok {
		return list
	}
	if f, ok := errors.AsType[*Error](err); ok {
		return []*Error{f}
	}
	return nil
}

// Error returns the sentences of all.
func (l List) Error() string {
	texts := make([]string, len(l))
	for i, f := range l {
		texts[i] = f.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors in their order.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, f := range l {
		errs[i] = f
	}
	return errs
}

// Listed writes values as they stand in the sentence of an error: "8000, 16000, 22050".
func Listed[T any](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
