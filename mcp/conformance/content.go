package main

import (
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

// pixel is a picture: a red pixel as PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

// silence is a recording: WAV, mono, 8000 Hz, one sample.
var silence = base64.StdEncoding.EncodeToString([]byte("RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" +
	"\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00"))

// contentTools return each kind of content.
func contentTools() []tool {
	return []tool{
		answers("test_simple_text", "Returns a text.",
			mcp.NewToolResultText("This is a simple text response for testing.")),
		answers("test_image_content", "Returns a picture.",
			content(mcp.NewImageContent(pixel, "image/png"))),
		answers("test_audio_content", "Returns a recording.",
			content(mcp.NewAudioContent(silence, "audio/wav"))),
		answers("test_embedded_resource", "Returns a resource.",
			content(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
		answers("test_multiple_content_types", "Returns a text, a picture and a resource.",
			content(
				mcp.NewTextContent("Multiple content types test:"),
				mcp.NewImageContent(pixel, "image/png"),
				embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
			)),
		answers("test_error_handling", "Fails.",
			mcp.NewToolResultError("This tool intentionally returns an error for testing")),
		answers("test_reconnection", "Returns a text; its stream is never cut off.",
			mcp.NewToolResultText("Nothing was cut off.")),
	}
}

// content is a result of parts.
func content(parts ...mcp.Content) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: parts}
}

func embedded(uri, mimeType, text string) mcp.EmbeddedResource {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mimeType, Text: text})
}
