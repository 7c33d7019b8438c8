package transport

import (
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// hears reports whether a client may open a stream with GET, as the versions up to 2025-11-25
// do to receive messages outside of calls. It may where there are such messages, and the stream
// belongs to a session.
func (h *Handler) hears(r *http.Request) bool {
	return cap(h.listeners) > 0 && h.sessions != nil && !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// hear keeps the stream of a session open until its client leaves. While it is open, the
// library knows the session and can ask the client over the stream.
func (h *Handler) hear(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(server.HeaderKeySessionID)
	if id == "" {
		h.Refuse(w, r, errNoSessionNamed)
		return
	}
	x, ok := h.sessions.find(h.owner(r), id)
	if !ok {
		h.Refuse(w, r, errNoSession)
		return
	}
	release, free := h.listen()
	defer release()
	if !free {
		h.Refuse(w, r, errNoPlace)
		return
	}
	// The stream counts as a call, so that the library keeps the session while it is open.
	x.mu.Lock()
	x.running++
	x.mu.Unlock()
	ctx := withVisit(r.Context(), &visit{id: x.id})
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.left(ctx, h.library, &visit{}, true)
	}()
	h.library.ServeHTTP(w, r.Clone(ctx))
}
