package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// typescript writes interfaces.
func typescript(definitions []definition) string {
	l := language{
		object: "Record<string, unknown>", null: "null", number: "number", integer: "number", text: "string", truth: "boolean",
		list: "Array<%s>", table: "Record<string, %s>", literal: literal,
		union: func(parts []string) string { return strings.Join(parts, " | ") },
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", notice)
	for _, d := range definitions {
		fmt.Fprintf(&b, "\n%sexport interface %s {\n", comment("", d.Description), d.name)
		for _, name := range slices.Sorted(maps.Keys(d.Properties)) {
			p, mark := d.Properties[name], ""
			if !slices.Contains(d.Required, name) {
				mark = "?"
			}
			fmt.Fprintf(&b, "%s  %s%s: %s;\n", comment("  ", p.Description), name, mark, l.typeOf(p))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func comment(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(oneLine(text), "*/", "*\u200b/") + " */\n"
}

// python writes typed dictionaries.
func python(definitions []definition) string {
	l := language{
		object: "dict[str, Any]", null: "None", number: "float", integer: "int", text: "str", truth: "bool",
		list: "list[%s]", table: "dict[str, %s]",
		literal: func(v any) string {
			if truth, ok := v.(bool); ok {
				return map[bool]string{true: "Literal[True]", false: "Literal[False]"}[truth]
			}
			return "Literal[" + literal(v) + "]"
		},
		union: func(parts []string) string {
			// Literals become one, as people write them.
			var values, others []string
			for _, p := range parts {
				if value, ok := strings.CutPrefix(p, "Literal["); ok {
					values = append(values, strings.TrimSuffix(value, "]"))
				} else {
					others = append(others, p)
				}
			}
			if len(values) > 0 {
				others = slices.Insert(others, 0, "Literal["+strings.Join(values, ", ")+"]")
			}
			return strings.Join(others, " | ")
		},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", notice)
	b.WriteString("from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict\n")
	for _, d := range definitions {
		names := slices.Sorted(maps.Keys(d.Properties))
		form, field, end := "\n\nclass %s(TypedDict):\n", "    %s: %s\n%s", ""
		// A class has no attribute of a reserved word. The other form has no room for texts.
		if slices.ContainsFunc(names, reserved) {
			form, field, end = "\n\n%[1]s = TypedDict(\n    \"%[1]s\",\n    {\n", "        \"%s\": \"%s\",\n", "    },\n)\n"
		}
		fmt.Fprintf(&b, form, d.name)
		if end == "" {
			b.WriteString(docstring(d.Description))
		}
		for _, name := range names {
			p := d.Properties[name]
			written := l.typeOf(p)
			if !slices.Contains(d.Required, name) {
				written = "NotRequired[" + written + "]"
			}
			if end == "" {
				fmt.Fprintf(&b, field, name, written, docstring(p.Description))
			} else {
				fmt.Fprintf(&b, field, name, strings.ReplaceAll(written, `"`, "'"))
			}
		}
		b.WriteString(end)
	}
	return b.String()
}

// reserved are names of properties that Python has for itself.
func reserved(name string) bool {
	return slices.Contains([]string{"from", "in", "is", "class", "with", "as", "def", "pass", "import", "lambda", "global"}, name)
}

func docstring(text string) string {
	if text == "" {
		return ""
	}
	text = strings.NewReplacer(`\`, `\\`, `"""`, `'''`).Replace(oneLine(text))
	if strings.HasSuffix(text, `"`) {
		text += " "
	}
	return "    \"\"\"" + text + "\"\"\"\n"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
