package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addResources adds three resources and a template.
func addResources(p *server.MCPServer) {
	addText(p, "test://static-text", "This is the content of the static text resource.")
	addText(p, "test://watched-resource", "Clients subscribe to this.")
	const picture = "test://static-binary"
	p.AddResource(mcp.NewResource(picture, "static-binary", mcp.WithResourceDescription("A picture."), mcp.WithMIMEType("image/png")),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.BlobResourceContents{URI: picture, MIMEType: "image/png", Blob: pixel}}, nil
		})
	p.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template",
		mcp.WithTemplateDescription("A document for each id."), mcp.WithTemplateMIMEType("application/json")), readTemplate)
}

func addText(p *server.MCPServer, uri, text string) {
	p.AddResource(mcp.NewResource(uri, strings.TrimPrefix(uri, "test://"), mcp.WithResourceDescription("A text."), mcp.WithMIMEType("text/plain")),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: text}}, nil
		})
}

// readTemplate answers with the id that the address holds.
func readTemplate(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
	return []mcp.ResourceContents{mcp.TextResourceContents{
		URI:      req.Params.URI,
		MIMEType: "application/json",
		Text:     fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id),
	}}, nil
}
