// Bundle builds the page of Fabricast's report from its TypeScript sources: one script, one style
// sheet, the licences of the bundled packages, and the template. The same sources always give the
// same bytes. Run it in the root folder of the project:
//
//	npm ci --prefix web && bin/bundle   # writes report/page
//	bin/bundle -dev /tmp/dev            # a page with made-up data
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	web := flag.String("web", "web", "`folder` of the sources, with node_modules")
	out := flag.String("out", "report/page", "`folder` to write to")
	dev := flag.String("dev", "", "write a page with made-up data to this `folder` instead")
	flag.Parse()
	var err error
	if *dev != "" {
		err = writeDev(*web, *dev)
	} else {
		err = write(*web, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// write writes the files that the fabricast binary embeds.
func write(web, out string) error {
	script, licences, err := bundle(web, "src/main.ts")
	if err != nil {
		return err
	}
	style, _, err := bundle(web, "src/style/page.css")
	if err != nil {
		return err
	}
	template, err := os.ReadFile(filepath.Join(web, "src/page.html"))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(out, "page.js"), script, 0o644),
		os.WriteFile(filepath.Join(out, "page.css"), style, 0o644),
		os.WriteFile(filepath.Join(out, "page.html"), template, 0o644),
		os.WriteFile(filepath.Join(out, "licences.txt"), licences, 0o644),
	)
}

// writeDev writes a single page with made-up data, for development.
func writeDev(web, out string) error {
	script, _, err := bundle(web, "dev/main.ts")
	if err != nil {
		return err
	}
	style, _, err := bundle(web, "src/style/page.css")
	if err != nil {
		return err
	}
	template, err := os.ReadFile(filepath.Join(web, "src/page.html"))
	if err != nil {
		return err
	}
	text := strings.NewReplacer(
		"{title}", "Fabricast", "{style}", string(style), "{script}", string(script),
		"{manifest}", "", "{blobs}", "", "{licences}", "",
	).Replace(string(template))
	return errors.Join(
		os.MkdirAll(out, 0o755),
		os.WriteFile(filepath.Join(out, "index.html"), []byte(text), 0o644),
	)
}

// bundle returns an entry file with all its imports as one file, and the licences of the bundled
// packages.
func bundle(web, entry string) (text, licences []byte, err error) {
	dir, err := filepath.Abs(web)
	if err != nil {
		return nil, nil, err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{entry},
		AbsWorkingDir:     dir,
		Outdir:            filepath.Join(dir, "out"),
		Bundle:            true,
		Metafile:          true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone, // written to licences.txt instead
		LogLevel:          api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return nil, nil, fmt.Errorf("%s: %d errors", entry, len(result.Errors))
	}
	licences, err = licencesOf(dir, result.Metafile)
	return result.OutputFiles[0].Contents, licences, err
}

// licencesOf returns the licences of the packages listed in esbuild's metafile, sorted by package
// name.
func licencesOf(dir, metafile string) ([]byte, error) {
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	var names []string
	for path := range meta.Inputs {
		if name := packageOf(path); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		if err := appendLicence(&b, filepath.Join(dir, "node_modules", name)); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// packageOf returns the npm package of a file; "" for a file of this project.
func packageOf(path string) string {
	_, rest, found := strings.Cut(filepath.ToSlash(path), "node_modules/")
	if !found {
		return ""
	}
	parts := strings.SplitN(rest, "/", 3)
	if strings.HasPrefix(rest, "@") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func appendLicence(b *strings.Builder, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return err
	}
	var p struct{ Name, Version, License string }
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return fmt.Errorf("%s has no licence: %w", p.Name, err)
	}
	fmt.Fprintf(
		b, "== %s %s (%s)\n\n%s\n\n", p.Name, p.Version, p.License,
		strings.TrimSpace(string(licence)),
	)
	return nil
}
