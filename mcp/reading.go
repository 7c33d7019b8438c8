package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/edge"
	"vaak/internal/fault"
	"vaak/mcp/transport"
)

func (s *Server) addResource(p *server.MCPServer, r resource) {
	wire := mcp.NewResource(r.uri, r.name, mcp.WithResourceDescription(r.description), mcp.WithMIMEType(r.mimeType))
	wire.Title = r.title
	p.AddResource(wire, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return s.read(ctx, r.name, req.Params.URI, func(ctx context.Context) (content, error) { return r.read(ctx, callOf(ctx)) })
	})
}

func (s *Server) addTemplate(p *server.MCPServer, t template) {
	wire := mcp.NewResourceTemplate(t.uri, t.name, mcp.WithTemplateDescription(t.description), mcp.WithTemplateMIMEType(t.mimeType))
	wire.Title = t.title
	p.AddResourceTemplate(wire, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return s.read(ctx, t.name, req.Params.URI, func(ctx context.Context) (content, error) {
			return t.read(ctx, callOf(ctx), variables(req.Params.Arguments))
		})
	})
}

// variables are the values that an address gives to the variables of a template.
func variables(arguments map[string]any) map[string]string {
	values := map[string]string{}
	for name, v := range arguments {
		switch v := v.(type) {
		case string:
			values[name] = v
		case []string:
			if len(v) > 0 {
				values[name] = v[0]
			}
		}
	}
	return values
}

// told returns the error of a resource or a prompt as a sentence for the client, whose
// code says whose fault it is: -32602 for what was sent, -32002 for what is not there in
// versions before 2026-07-28, else -32603.
func told(ctx context.Context, err error) error {
	switch fault.KindOf(err) {
	case fault.NotFound:
		if !mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
			transport.FailWith(ctx, mcp.RESOURCE_NOT_FOUND)
			break
		}
		transport.FailWith(ctx, mcp.INVALID_PARAMS)
	case fault.Invalid:
		transport.FailWith(ctx, mcp.INVALID_PARAMS)
	}
	return errors.New(failure(err).text)
}

// read reads a resource.
func (s *Server) read(ctx context.Context, name, uri string, do func(context.Context) (content, error)) (_ []mcp.ResourceContents, err error) {
	start := time.Now()
	var failed error // as it is logged
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			transport.LogPanic(ctx, s.log, name, p)
			failed, err = transport.ErrInternal, transport.ErrInternal
		}
		s.log.InfoContext(ctx, "resource read", "resource", name, "outcome", outcome(failed), "took", time.Since(start), "request_id", edge.RequestID(ctx))
	}()
	c, err := do(ctx)
	if err != nil {
		failed = s.settle(ctx, name, defaultTimeout, renamed(err))
		return nil, told(ctx, failed)
	}
	if c.blob != nil {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: uri, MIMEType: c.mimeType, Blob: base64.StdEncoding.EncodeToString(c.blob)}}, nil
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: c.mimeType, Text: c.text}}, nil
}

func (s *Server) addPrompt(p *server.MCPServer, pr prompt) {
	wire := mcp.Prompt{Name: pr.name, Title: pr.title, Description: pr.description}
	for _, a := range pr.arguments {
		wire.Arguments = append(wire.Arguments, mcp.PromptArgument{Name: a.name, Description: a.description, Required: a.required})
	}
	p.AddPrompt(wire, func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text, err := pr.text(req.Params.Arguments)
		if err != nil {
			return nil, told(ctx, s.settle(ctx, pr.name, defaultTimeout, err))
		}
		return mcp.NewGetPromptResult(pr.description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
	})
}

// text renders a prompt whose required arguments are there, and no unknown
// ones.
func (p prompt) text(arguments map[string]string) (string, error) {
	if err := p.check(arguments); err != nil {
		return "", err
	}
	return p.render(arguments)
}
