package page_test

import (
	"bytes"
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"fabricast/report/page"
)

// TestWrite checks that a page contains its content, and that no text closes an HTML element early.
func TestWrite(t *testing.T) {
	blob := []byte{0, 1, 2, 250, 251}
	var b bytes.Buffer
	err := page.Write(&b, page.Content{
		Title:    "a <b> & c",
		Manifest: []byte(`{"title": "</script><script>alert(1)"}`),
		Blobs:    maps.All(map[string][]byte{"r0.links": blob}),
	})
	if err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"<title>a &lt;b&gt; &amp; c</title>",
		`id="manifest">{"title": "\u003c/script>\u003cscript>alert(1)"}</script>`,
		`id="blob-r0.links">` + base64.StdEncoding.EncodeToString(blob) + "</script>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, elsewhere := range []string{"<script src", `href="http`, "url(http", "@import"} {
		if strings.Contains(text, elsewhere) {
			t.Errorf("the page loads something from elsewhere: %s", elsewhere)
		}
	}
}

// TestServed checks that a page without a manifest has an empty manifest element, so that the page
// requests the manifest.
func TestServed(t *testing.T) {
	var b bytes.Buffer
	if err := page.Write(&b, page.Content{Title: "t"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `id="manifest"></script>`) {
		t.Error("no empty manifest")
	}
}
