package tool

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

func (s Runner) addResource(p *server.MCPServer, r Resource) {
	wire := mcp.NewResource(r.Uri, r.Name, mcp.WithResourceDescription(r.Description), mcp.WithMIMEType(r.MimeType))
	wire.Title = r.Title
	p.AddResource(wire, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return s.read(ctx, r.Name, r.Scope, req.Params.URI, func(ctx context.Context) (Content, error) { return r.Read(ctx, callOf(ctx)) })
	})
}

func (s Runner) addTemplate(p *server.MCPServer, t Template) {
	wire := mcp.NewResourceTemplate(t.Uri, t.Name, mcp.WithTemplateDescription(t.Description), mcp.WithTemplateMIMEType(t.MimeType))
	wire.Title = t.Title
	p.AddResourceTemplate(wire, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return s.read(ctx, t.Name, t.Scope, req.Params.URI, func(ctx context.Context) (Content, error) {
			return t.Read(ctx, callOf(ctx), variables(req.Params.Arguments))
		})
	})
}

// variables returns the values that an address gives to the variables of a template.
func variables(arguments map[string]any) map[string]string {
	values := map[string]string{}
	for name, v := range arguments {
		switch v := v.(type) {
		case string:
			values[name] = v
		case []string:
			// The library gives a list for a variable that may have several values; ours have one.
			if len(v) > 0 {
				values[name] = v[0]
			}
		}
	}
	return values
}

// protocolError returns the error of a resource or a prompt as a sentence for the client. It also
// chooses the code of the answer: -32602 for a mistake of the client, -32002 for what does not
// exist in versions before 2026-07-28, and -32603 for everything else.
func protocolError(ctx context.Context, err error) error {
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
	// The library takes only the text of an error. The code went to the transport above.
	return errors.New(Failure(err).Text)
}

// read reads a resource.
func (s Runner) read(ctx context.Context, name, scope, uri string, do func(context.Context) (Content, error)) (_ []mcp.ResourceContents, err error) {
	start := time.Now()
	var failed error // the error for the log
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			transport.LogPanic(ctx, s.Log, name, p)
			// After a panic read returns its named results, so the error is set here.
			failed, err = transport.ErrInternal, transport.ErrInternal
		}
		s.Log.InfoContext(ctx, "resource read", "resource", name, "outcome", outcome(failed), "took", time.Since(start), "request_id", edge.RequestID(ctx))
	}()
	var c Content
	if edge.From(ctx).May(scope) {
		c, err = do(ctx)
	} else {
		err = transport.Insufficient(scope)
	}
	if err != nil {
		failed = s.settle(ctx, name, defaultTimeout, Renamed(err))
		return nil, protocolError(ctx, failed)
	}
	if c.Blob != nil {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: uri, MIMEType: c.MimeType, Blob: base64.StdEncoding.EncodeToString(c.Blob)}}, nil
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: c.MimeType, Text: c.Text}}, nil
}

func (s Runner) addPrompt(p *server.MCPServer, pr Prompt) {
	wire := mcp.Prompt{Name: pr.Name, Title: pr.Title, Description: pr.Description}
	for _, a := range pr.Arguments {
		wire.Arguments = append(wire.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
	}
	p.AddPrompt(wire, func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text, err := pr.text(req.Params.Arguments)
		if err != nil {
			return nil, protocolError(ctx, s.settle(ctx, pr.Name, defaultTimeout, err))
		}
		return mcp.NewGetPromptResult(pr.Description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
	})
}

// text checks the arguments of a prompt and renders it.
func (p Prompt) text(arguments map[string]string) (string, error) {
	if err := p.check(arguments); err != nil {
		return "", err
	}
	return p.Render(arguments)
}
