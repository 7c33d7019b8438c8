package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// schema2020 uses keywords that JSON Schema 2020-12 added. It must reach clients exactly as it is
// here.
const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

// headerSchema has an argument that clients repeat in a header.
const headerSchema = `{
	"type": "object",
	"properties": {
		"region": {"type": "string", "description": "Where to run.", "x-mcp-header": "Region"}
	},
	"required": ["region"],
	"additionalProperties": false
}`

// schemaTools returns tools with schemas that a server must neither change nor ignore.
func schemaTools() []tool {
	return []tool{
		{"json_schema_2020_12_tool", "Has a schema of the dialect 2020-12.", schema2020, tellsName},
		{"test_x_mcp_header", "Has an argument that is repeated in a header.", headerSchema, tellsName},
	}
}

// tellsName answers with the name of the tool that was called.
func tellsName(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("Called " + req.Params.Name + "."), nil
}
