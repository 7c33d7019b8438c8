package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// List holds several errors about one request: at least two, none nil. errors.As and [KindOf]
// find the first.
type List []*Error

// Join returns the errors as one: nil for none, the error itself for one, a [List] for more.
func Join(faults ...*Error) error {
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	return List(slices.Clone(faults))
}

// All returns the errors that [Join] joined into err, or nil if there are none.
func All(err error) []*Error {
	if list, ok := errors.AsType[List](err); ok {
		return list
	}
	if f, ok := errors.AsType[*Error](err); ok {
		return []*Error{f}
	}
	return nil
}

// Error returns the sentences of all errors.
func (l List) Error() string {
	texts := make([]string, len(l))
	for i, f := range l {
		texts[i] = f.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors in order.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, f := range l {
		errs[i] = f
	}
	return errs
}

// Listed formats values for an error message: "8000, 16000, 22050".
func Listed[T any](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
