package live

import (
	"net"

	"vaak/audio"
)

// ahead is how much audio may wait unsent, in seconds.
const ahead = 2

// Bounds of the send buffer of a connection, in bytes.
const (
	minUnsent = 16 << 10
	maxUnsent = 256 << 10
)

// unsent returns how many bytes may wait in the send buffer of a connection
// that carries audio of a format, base64 allowed for.
func unsent(f audio.Format) int {
	return min(max(ahead*f.BytesPerSecond()*4/3, minUnsent), maxUnsent) // base64 has 4 bytes for 3
}

// limitUnsent makes writes block when this many bytes wait to be sent. By default a kernel buffers
// minutes of speech, which would be made and charged although the listener may never hear it.
func limitUnsent(conn net.Conn, bytes int) {
	for {
		if c, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
			_ = c.SetWriteBuffer(bytes) // on failure the socket works with a larger buffer
			return
		}
		under, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return
		}
		conn = under.NetConn()
	}
}
