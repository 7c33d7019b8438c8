package live

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/rest/elevenlabs"
)

// source is a file of this package, by its functions.
type source map[string]*ast.FuncDecl

func readSource(t *testing.T, file string) source {
	t.Helper()
	f, err := goparser.ParseFile(token.NewFileSet(), file, nil, goparser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s := source{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			s[fn.Name.Name] = fn
		}
	}
	return s
}

// readers are the functions whose argument is the name of what they read.
var readers = []string{"Get", "number", "words", "bool", "text", "object", "get"}

// reads returns the names that a function reads, itself or through others of its
// file.
func (s source) reads(name string) []string {
	found, done := map[string]bool{}, map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		if s[name] == nil || done[name] {
			return
		}
		done[name] = true
		ast.Inspect(s[name], func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				callee := calleeOf(n.Fun)
				if slices.Contains(readers, callee) {
					for _, arg := range n.Args[:min(2, len(n.Args))] {
						if text, ok := nameIn(arg); ok {
							found[text] = true
							break
						}
					}
				}
				visit(callee)
			case *ast.Field:
				if n.Tag != nil {
					tag, _ := strconv.Unquote(n.Tag.Value)
					found[reflect.StructTag(tag).Get("json")] = true
				}
			}
			return true
		})
	}
	visit(name)
	return slices.Sorted(maps.Keys(found))
}

func calleeOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr: // of type parameters
		return calleeOf(f.X)
	}
	return ""
}

// nameIn returns the name that an argument is.
func nameIn(arg ast.Expr) (string, bool) {
	if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		s, err := strconv.Unquote(lit.Value)
		return s, err == nil
	}
	switch calleeOf(arg) {
	case "FieldFormat":
		return elevenlabs.FieldFormat, true
	case "FieldLocators":
		return elevenlabs.FieldLocators, true
	case "FieldDictionary":
		return elevenlabs.FieldDictionary, true
	case "FieldVersion":
		return elevenlabs.FieldVersion, true
	}
	return "", false
}

// TestParametersAreDescribed: the query parameters that are described are those
// that are read.
func TestParametersAreDescribed(t *testing.T) {
	t.Parallel()
	doc, s := document(t), readSource(t, "parameters.go")
	for channel, function := range map[string]string{
		"native": "nativeParameters", "streamInput": "dialectParameters", "multiStreamInput": "dialectParameters",
	} {
		described := keys(dig(doc, "channels", channel, "bindings", "ws", "query", "properties"))
		// Every socket reads the token before its own parameters: see Authenticate.
		read := append(s.reads(function), tokenParameter)
		slices.Sort(read)
		if diff := cmp.Diff(described, read); diff != "" {
			t.Errorf("%s (-described +read):\n%s", channel, diff)
		}
		_, inPath := dig(doc, "channels", channel, "parameters", "voice_id").(map[string]any)
		if address := dig(doc, "channels", channel, "address").(string); inPath != strings.Contains(address, "{voice_id}") {
			t.Errorf("%s: the parameters of %s are not described", channel, address)
		}
	}
}

// TestPropertiesAreDescribed: the properties of messages that are described are
// those that are read.
func TestPropertiesAreDescribed(t *testing.T) {
	t.Parallel()
	doc, s := document(t), readSource(t, "message/message.go")
	for function, channels := range map[string][]string{"ParseNative": {"native"}, "ParseDialect": {"streamInput", "multiStreamInput"}} {
		described := map[string]bool{}
		var collect func(any)
		collect = func(at any) {
			walk(at, func(object map[string]any) {
				for _, name := range keys(object["properties"]) {
					described[name] = true
				}
				if to, ok := object["$ref"].(string); ok {
					collect(dig(doc, strings.Split(strings.TrimPrefix(to, "#/"), "/")...))
				}
			})
		}
		for _, channel := range channels {
			for _, m := range dig(doc, "operations", "receive."+channel, "messages").([]any) {
				collect(m)
			}
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(described)), s.reads(function)); diff != "" {
			t.Errorf("%v (-described +read):\n%s", channels, diff)
		}
	}
}

// TestBoundsAreTrue: numbers of the query are taken at their bounds; outside they
// are refused, unless it is described that they are moved or ignored.
func TestBoundsAreTrue(t *testing.T) {
	t.Parallel()
	doc, open := document(t), opening(humming(t))
	takes := func(channel, name, value string) bool {
		read := dialectParameters
		if channel == "native" {
			read = nativeParameters
		}
		r := &http.Request{}
		p, err := read(r, url.Values{name: {value}})
		if err == nil {
			_, err = open(account.Local, p.request)
		}
		return err == nil
	}
	for channel, ch := range dig(doc, "channels").(map[string]any) {
		for name, p := range dig(ch, "bindings", "ws", "query", "properties").(map[string]any) {
			if dig(p, "minimum") == nil {
				continue
			}
			least, most := number(t, dig(p, "minimum")), number(t, dig(p, "maximum"))
			clamped := strings.Contains(dig(p, "description").(string), "moved to the nearest")
			ignored := strings.Contains(dig(p, "description").(string), "is ignored")
			for value, want := range map[float64]bool{
				least: true, most: true, least - 1: clamped || ignored, most + 1: clamped || ignored, math.Inf(1): ignored, math.NaN(): ignored,
			} {
				sent := strconv.FormatFloat(value, 'g', -1, 64)
				if got := takes(channel, name, sent); got != want {
					t.Errorf("%s takes %s=%s: %v, want %v", channel, name, sent, got, want)
				}
			}
			if whole := dig(p, "type") == "integer"; !ignored && takes(channel, name, strconv.FormatFloat(least+0.5, 'g', -1, 64)) == whole {
				t.Errorf("%s: %s is described as a whole number: %v", channel, name, whole)
			}
		}
	}
}

// number reads a number of a document.
func number(t *testing.T, v any) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(reflect.ValueOf(v).String(), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
