// Package page holds the web page of the report, and writes it as one HTML file: either with all
// data embedded, or with code that loads the data from its server. The page's sources are in web/;
// tools/bundle makes the embedded files from them.
package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"iter"
	"strings"
)

var (
	//go:embed page.html
	template string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
	//go:embed licences.txt
	licences string
)

// ScriptSource returns the hash of the page's script in the form of a content security policy, so
// that browsers run no other script.
func ScriptSource() string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Content is the content of a page.
type Content struct {
	Title string
	// Manifest is JSON of the schema fabricast.report/2. If nil, the page loads it from
	// data/manifest, loads blobs from data/blob/NAME, and listens to data/events.
	Manifest []byte
	// Blobs yields the arrays that the manifest names, compressed with gzip.
	Blobs iter.Seq2[string, []byte]
}

// Write writes the page with its content as HTML.
func Write(w io.Writer, c Content) error {
	b := bufio.NewWriterSize(w, 1<<16)
	rest := template
	for rest != "" {
		text, after, found := strings.Cut(rest, "{")
		b.WriteString(text)
		if !found {
			break
		}
		name, next, _ := strings.Cut(after, "}")
		if err := c.fill(b, name); err != nil {
			return err
		}
		rest = next
	}
	return b.Flush()
}

// fill writes the text for a placeholder of the template.
func (c Content) fill(b *bufio.Writer, name string) error {
	switch name {
	case "title":
		b.WriteString(html.EscapeString(c.Title))
	case "style":
		b.WriteString(style)
	case "script":
		b.WriteString(script)
	case "licences":
		b.WriteString(html.EscapeString(licences))
	case "manifest":
		// Escaped, so that no text of the manifest can close the enclosing HTML element.
		b.WriteString(strings.ReplaceAll(string(c.Manifest), "<", `\u003c`))
	case "blobs":
		return c.blobs(b)
	default:
		return fmt.Errorf("the page's template has an unknown placeholder %q", name)
	}
	return nil
}

func (c Content) blobs(b *bufio.Writer) error {
	if c.Blobs == nil {
		return nil
	}
	for name, data := range c.Blobs {
		fmt.Fprintf(b, `<script type="application/octet-stream" id="blob-%s">`, html.EscapeString(name))
		e := base64.NewEncoder(base64.StdEncoding, b)
		if _, err := e.Write(data); err != nil {
			return err
		}
		if err := e.Close(); err != nil {
			return err
		}
		b.WriteString("</script>\n")
	}
	return nil
}
