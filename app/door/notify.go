package door

import (
	"fmt"
	"net"
)

// NotifySocket is the environment variable in which a supervisor such as systemd names the socket
// that takes messages for it. See sd_notify(3).
const NotifySocket = "NOTIFY_SOCKET"

// Ready is the message of a server that serves.
const Ready = "READY=1"

// Notify sends a message, such as [Ready], to the supervisor that listens at a socket: a path, or a
// name in the abstract namespace after an @. It does nothing for "".
func Notify(socket, message string) error {
	if socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell the supervisor: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(message)); err != nil {
		return fmt.Errorf("tell the supervisor: %w", err)
	}
	return nil
}
