package setup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/clitest"
	"fabricast/internal/config"
	"fabricast/internal/schema"
	"fabricast/sweep"
)

// compiled returns the schema of a kind of file, compiled by the JSON Schema library.
func compiled(t testing.TB, kind string) *jsonschema.Schema {
	t.Helper()
	text, _, err := clitest.Command(t.Context(), "schema", kind)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(kind+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(kind + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate checks YAML against a schema, as an editor does.
func validate(s *jsonschema.Schema, text string) error {
	var tree any
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		return err
	}
	if tree == nil {
		tree = map[string]any{}
	}
	asJSON, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// TestFilesFollowTheirSchema validates every example and study against the schema that the file
// names, or that of its kind.
func TestFilesFollowTheirSchema(t *testing.T) {
	all := map[string]*jsonschema.Schema{
		"experiment": compiled(t, "experiment"),
		"sweep":      compiled(t, "sweep"),
		"study":      compiled(t, "study"),
	}
	count := map[string]int{}
	for _, pattern := range []string{"examples/*.yaml", "examples/*/*.yaml", "studies/*/*.yaml", "studies/*/*/*.yaml"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind := kindOfFile(t, string(text))
			count[kind]++
			if err := validate(all[kind], string(text)); err != nil {
				t.Errorf("%s as %s: %v", file, kind, err)
			}
			if named := modeline.FindStringSubmatch(string(text)); named != nil {
				if want := filepath.Join("..", "..", "..", "schema", kind+".json"); filepath.Join(
					filepath.Dir(file),
					named[1],
				) != want {
					t.Errorf("%s names the schema %s, want %s", file, named[1], want)
				}
			} else if strings.Contains(file, "examples") {
				t.Errorf("%s names no schema in its first line", file)
			}
		}
	}
	if count["experiment"] < 15 || count["sweep"] < 1 || count["study"] < 20 {
		t.Errorf("found %v", count)
	}
}

var modeline = regexp.MustCompile(`^# yaml-language-server: \$schema=(\S+)\n`)

// kindOfFile returns the kind of schema that applies to a document.
func kindOfFile(t testing.TB, text string) string {
	t.Helper()
	root, err := config.Parse(&config.Source{Name: "document", Text: text})
	switch {
	case err != nil:
		t.Fatalf("%s\n%v", text, err)
	case !fabricast.IsSweep(root):
		return "experiment"
	case config.Get(root, "findings") != nil:
		return "study"
	}
	return "sweep"
}

// TestDocumentsFollowTheirSchema validates the YAML snippets in the documentation.
func TestDocumentsFollowTheirSchema(t *testing.T) {
	all := map[string]*jsonschema.Schema{
		"experiment": compiled(t, "experiment"),
		"sweep":      compiled(t, "sweep"),
	}
	var files []string
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "examples/*/README.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	count := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range pieces(string(text)) {
			kind, whole := placed(piece)
			if kind == "" {
				continue
			}
			count++
			if err := validate(all[kind], whole); err != nil {
				t.Errorf("%s: %v\n%s", file, err, piece)
			}
		}
	}
	if count < 25 {
		t.Errorf("found %d pieces of YAML in %d documents", count, len(files))
	}
}

// pieces returns the YAML snippets of a document: fenced and indented code blocks. If a field
// occurs a second time in a code block, as an alternative notation, a new snippet starts there.
func pieces(text string) (list []string) {
	for _, block := range blocks.FindAllStringSubmatch(text, -1) {
		if block[1] == "yaml" {
			list = append(list, block[2])
		}
	}
	for _, block := range indented.FindAllString(blocks.ReplaceAllString(text, ""), -1) {
		list = append(list, strings.ReplaceAll(block[1:], "\n    ", "\n")[4:])
	}
	for i := 0; i < len(list); i++ { // the list grows in the loop
		seen := map[string]bool{}
		for _, at := range topLevel.FindAllStringIndex(list[i], -1) {
			key := list[i][at[0]:at[1]]
			if seen[key] {
				list = append(list, list[i][at[0]:])
				list[i] = list[i][:at[0]]
				break
			}
			seen[key] = true
		}
	}
	return list
}

var (
	blocks   = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```") // fenced code blocks: language and text
	indented = regexp.MustCompile(`(?m)^\n(    .*\n)+`)
	topLevel = regexp.MustCompile(`(?m)^[a-z_-]+:`)
)

// placed returns the kind of schema that applies to a snippet, and the snippet within a whole
// document; "" if it is not a file of Fabricast.
func placed(piece string) (kind, whole string) {
	var tree map[string]any
	if yaml.Unmarshal([]byte(piece), &tree) != nil || len(tree) == 0 {
		return "", ""
	}
	of := func(s *schema.Schema) bool {
		for key := range tree {
			if s.Properties[key] == nil {
				return false
			}
		}
		return true
	}
	within := func(name string) string { return name + ":\n  " + strings.ReplaceAll(piece, "\n", "\n  ") }
	e, s := experiment.Schema(), sweep.FileSchema()
	switch {
	case of(e):
		return "experiment", piece
	case of(s):
		return "sweep", piece
	case of(e.Properties["network"]):
		return "experiment", within("network")
	case of(e.Properties["traffic"]):
		return "experiment", within("traffic")
	}
	return "", ""
}

// mistaken lists valid documents into which tests insert mistakes.
var mistaken = []string{
	`network:
  topology: {kind: torus, dims: [4, 4], wrap: [true, false], hosts: 2}
  routing: {algorithm: dor, tie: up, choice: queue, dateline: classic, entry: first, dateline_vcs: 1}
  link: {bandwidth: 8GB/s, latency: 100ns}
  links: {x: {bandwidth: 16GB/s}, y: {latency: 5ns}}
  router: {routing: 2ns, latency: 0, vcs: 4, buffer: 8KiB, queues: input, arbiter: age, allocation: separate, turnaround: 1ns}
  packet: {mtu: 256B, header: 16B, flit: 16B}
node: {nics: 2, nic_choice: port, nic_order: fifo, gap: 1.5, io_bus: {bandwidth: 12GB/s, latency: 1ns}, protocol: {eager: 4KiB, rendezvous: read, peers: 3, others: 1KiB, complete: fetched, notice: 100ns}}
workload: {program: alltoall, algorithm: bruck, size: 64B, iterations: 2, pacing: {gap: mod, scale: 125%, barrier: 2}}
imbalance: {distribution: normal, width: 4%, order: random, of: 1ms}
noise: {every: 1ms, lose: 10us, distribution: fixed, phase: aligned}
record: {bins: {interval: 10us, buffers: true}, buffers: {routers: [0, 5], from: 1us}, messages: true}
engine: {mode: optimistic, workers: 2, batch: 8, gvt_interval: 64, kp: 4}
classes: [{to: 1KiB, class: 2}, {to: 64KiB, class: 1}]
collectives: {table: openmpi, alltoall: {algorithm: pairwise, pacing: hops}, allreduce: ring}
compute: {mode: measured, factor: 1.5}
payload: omit
ranks: 16
mapping: round-robin
seed: 7
`, `network:
  topology: {kind: dragonfly, p: 2, a: 4, h: 2, arrangement: circulant}
  routing: {algorithm: ugal-l, threshold: 3, weights: [1, 2]}
  router: {vcs: 4, output_buffer: 8KiB}
traffic: {pattern: {name: mix, parts: [{share: 70%, block: 8}, {share: 30%, class: 3}]}, load: 0.3, sizes: [{size: 64B, share: 0.5}, {from: 1KiB, to: 2KiB, share: 50%}], arrivals: {process: bursts, burst: 4, peak: 80%}, measure: {precision: 5%, bin: 10ns}}
engine: {balance: dynamic}
`, `network:
  topology: {kind: hierarchy, block: {kind: fully-connected, routers: 4, hosts: 2}, outer: {kind: mesh, dims: [3, 2]}, external: [0, 1, 2, 3]}
  routing: {algorithm: up-down, root: 3}
traffic: {pattern: {name: hot-spot, hosts: [1, 2], share: 10%}, window: 4, reply: 1KiB, size: 64B}
`, `network: {topology: {kind: xgft, m: [3, 2], w: [1, 2], width: [1, 2]}, routing: {algorithm: nca, up: random}}
workload: {program: stencil3d, size: 1KiB, grid: [3, 2, 1], compute: 1us, algorithm: ring, iterations: 3}
mapping: {order: random}
`, `network: {topology: {kind: slim-fly, q: 3, hosts: 1}, routing: minimal}
workload: {program: uniform, size: 1KiB, messages: 10, window: 2, by: put}
`, `network: {topology: {kind: dragonfly+, p: 2, leaves: 2, spines: 2, h: 1, g: 3}, routing: {algorithm: source, of: minimal}}
workload: {program: pingpong, size: 0.5KiB, pair: [0, 3]}
`, `network: {topology: {kind: fat-tree, radix: 4, levels: 2, hosts: 2}, routing: {algorithm: shortest, classes: hop}}
workload: {program: broadcast, root: 1, size: 1kB}
`, `network:
  topology: {kind: torus, dims: [4, 4]}
  packet: {mtu: 4KiB, header: 64B}
  router: {buffers: lossy, trimming: true, queue: 200kB, shared: {size: 1MB, alpha: 0.5}, ecn: {at: dequeue, min: 1kB, max: 9kB}}
node:
  transport:
    control: {algorithm: dcqcn, form: vendor, g: 0.01, recovery: 2, ai: 1MB/s, clamp: true, window: fixed}
    paths: {algorithm: reps, paths: 16, freeze: 1ms}
    queue_pairs: 2
    retransmission: go-back-n
    timeout: 1ms
    ack_every: 8KiB
workload: {program: broadcast, root: 1, size: 1kB}
`, `network: {topology: {kind: torus, dims: [4, 4]}, router: {buffers: pfc, shared: {headroom: 20kB, resume: 1kB, reserve: 0B}}}
node: {transport: {control: rccc, paths: ecmp, ack_size: 32B, credit: {initial: 100kB, grant: 16kB, rate: 90%}}}
workload: {program: broadcast, root: 1, size: 1kB}
`,
}

// mistakenSweep is a valid study into which tests insert mistakes.
const mistakenSweep = `title: loads
experiment:
  network: {topology: {kind: torus, dims: [3, 3]}}
  traffic: {pattern: uniform, load: 0.1}
axes:
  - {field: network.router.vcs, values: [2, 4], name: vcs}
  - {field: traffic.load, from: 10%, to: 30%, step: 10%}
  - {name: size, cases: [{label: small, set: {traffic.size: 64B}, with: {x: 1}}, {label: large, set: {traffic.size: 128B}, with: {x: 2}}]}
only: vcs == 2 or load < 0.25
weight: load
isolated: false
refused: false
columns: [accepted, {name: ratio, value: accepted / load}, {name: gain, value: accepted, at: {vcs: 2}}]
plots: [{name: a, x: load, y: accepted, where: stable, series: [vcs, size], x_scale: linear, y_scale: log, y_max: 1}]
findings:
  - {that: rises, value: accepted, rises: load, slack: 0.01, where: vcs == 2}
  - {that: is so, value: accepted, of: mean, is: 0.2, within: 5%, full: true}
  - {that: compares, value: accepted, compare: {axis: vcs, of: 4, with: 2}, at_least: 0.5, large: true}
quick: {axes: [{name: vcs, values: [2], field: network.router.vcs}], set: {seed: 3}}
`

// slips lists values that replace other values.
var slips = []any{
	0, 1, 2, -1, 17, 1.5, 1e6, "8GB/s", "100ns", "4KiB", "50%", "0.5", "auto", "mod", "bruck", "torus", "minimal", "source",
	"bogus", "5 ns", "5  ns", "8gb/s", "-1", "+3", "007", true, false, "true", "yes", nil,
	[]any{},
	[]any{1, 2},
	[]any{"a"},
	[]any{nil},
	map[string]any{},
	map[string]any{"bogus": 1},
	map[string]any{"bandwidth": "1GB/s"},
}

// TestMistakesThatSchemasRefuse changes random names and values of documents. If the schema refuses
// a document, the parser must refuse it too. Both must refuse unknown fields.
func TestMistakesThatSchemasRefuse(t *testing.T) {
	e, s := compiled(t, "experiment"), compiled(t, "sweep")
	for by, text := range map[*jsonschema.Schema]string{e: mistaken[0], s: mistakenSweep} {
		if validate(by, text) != nil || validate(by, text+"bogus: 1\n") == nil {
			t.Error("an unknown field is not what a schema refuses")
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		which := rapid.IntRange(0, len(mistaken)).Draw(t, "document")
		text, by := mistakenSweep, s
		if which < len(mistaken) {
			text, by = mistaken[which], e
		}
		var tree any
		if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		unknown := false
		for n := rapid.IntRange(0, 2).Draw(t, "mistakes"); n > 0 && !unknown; n-- {
			tree = slip(t, tree, "", &unknown)
		}
		changed, err := yaml.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		bySchema, byParser := validate(by, string(changed)), accept(string(changed), which == len(mistaken))
		if bySchema != nil && byParser == nil {
			t.Fatalf("only the schema refuses\n%s\n%v", changed, bySchema)
		}
		if unknown && (bySchema == nil || byParser == nil) {
			t.Fatalf("with an unknown field: schema %v, parser %v\n%s", bySchema, byParser, changed)
		}
	})
}

// accept parses a document as the commands do.
func accept(text string, study bool) error {
	if !study {
		_, err := fabricast.Parse("experiment.yaml", text)
		return err
	}
	root, err := config.Parse(&config.Source{Name: "study.yaml", Text: text})
	if err != nil {
		return err
	}
	file, err := sweep.Of(root, "study.yaml")
	if err != nil {
		return err
	}
	_, err = file.Survey(context.Background())
	return err
}

// free lists suffixes of paths that are not changed: mappings with arbitrary keys, and values about
// which the schema says nothing more.
var free = []string{".set", ".with", ".at", ".links", ".values"}

// replaced lists the parts of the study's experiment that its points replace, whether valid or not.
var replaced = []string{".experiment", ".experiment.network", ".experiment.traffic"}

// slip inserts a mistake somewhere below a value.
func slip(t *rapid.T, v any, path string, unknown *bool) any {
	if path != "" && !slices.Contains(replaced, path) && rapid.IntRange(0, 3).Draw(t, "here") == 0 {
		return rapid.SampledFrom(slips).Draw(t, "value")
	}
	if path == ".experiment.traffic" ||
		slices.ContainsFunc(free, func(end string) bool { return strings.HasSuffix(path, end) }) {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			break
		}
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "field")
		if rapid.IntRange(0, 4).Draw(t, "rename") == 0 {
			v[key+"x"] = v[key]
			delete(v, key)
			*unknown = true
			return v
		}
		v[key] = slip(t, v[key], path+"."+key, unknown)
	case []any:
		if len(v) > 0 {
			i := rapid.IntRange(0, len(v)-1).Draw(t, "item")
			v[i] = slip(t, v[i], fmt.Sprintf("%s[%d]", path, i), unknown)
		}
	}
	return v
}
