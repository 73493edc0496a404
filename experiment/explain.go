package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/fabric"
	"fabricast/internal/schema"
	"fabricast/internal/units"
	"fabricast/machines"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
	"fabricast/workload"
)

// Field describes one field of experiment files, for people and programs.
type Field struct {
	Path    string `json:"field"` // such as network.router.vcs; "[]" follows the name of a list
	Text    string `json:"text"`  // its meaning
	Default string `json:"default,omitempty"`
	Value   string `json:"value"`          // what is written: a time, a number, a mapping ...
	Unit    string `json:"unit,omitempty"` // of its values: time, bytes, bytes/s, share or probability
	// Least and Most are the bounds of a number, if the schema knows any.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
	Words []Word   `json:"words,omitempty"` // that the field accepts; no others unless Value says so
	// Programs are those that have the field as a parameter, each with its own meaning and default.
	Programs []Parameter `json:"programs,omitempty"`
	Example  string      `json:"example,omitempty"` // as in a file, on one line
	Set      string      `json:"set,omitempty"`     // the example as the value of --set; none in lists
}

// Word is a value of a field, and what it means if that is described.
type Word struct {
	Word string `json:"word"`
	Text string `json:"text,omitempty"`
}

// Parameter is a field as the parameter of a program.
type Parameter struct {
	Program string `json:"program"`
	Text    string `json:"text"`
	Default string `json:"default,omitempty"` // empty: the parameter must be given
}

// Fields describes all fields of experiment files in the order of their paths.
func Fields() []Field {
	x := explainer{help: fieldHelp(), root: Schema()}
	x.mapping("", x.root, nil)
	slices.SortFunc(x.fields, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return x.fields
}

// explainer collects the fields of a schema.
type explainer struct {
	help   map[string]fieldText
	root   *schema.Schema
	fields []Field
}

// mapping adds the fields below s. within holds the definitions that the path has entered, so that
// types that contain themselves appear only once on each path.
func (x *explainer) mapping(path string, s *schema.Schema, within []string) {
	for _, form := range forms(s) {
		inside := within
		if form.Ref != "" {
			if slices.Contains(within, form.Ref) {
				continue
			}
			inside = append(slices.Clone(within), form.Ref)
			form = x.root.Defs[strings.TrimPrefix(form.Ref, schema.Def)]
			if form.AnyOf != nil {
				x.mapping(path, form, inside)
				continue
			}
		}
		for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
			at := strings.TrimPrefix(path+"."+name, ".")
			x.field(at, form.Properties[name])
			x.mapping(at, form.Properties[name], inside)
		}
		if form.Items != nil {
			x.mapping(path+"[]", form.Items, inside)
		}
		if entry, ok := form.Additional.(*schema.Schema); ok {
			x.field(path+".NAME", entry)
			x.mapping(path+".NAME", entry, inside)
		}
	}
}

// forms returns the alternatives of a schema, itself first.
func forms(s *schema.Schema) []*schema.Schema { return append([]*schema.Schema{s}, s.AnyOf...) }

// field adds one field.
func (x *explainer) field(path string, s *schema.Schema) {
	at := pathOfText(x.help, path)
	text := describedBy(x.help, strings.TrimSuffix(at, ".NAME"))
	f := Field{Path: path, Text: plainWords(text.meaning), Default: plainWords(text.otherwise)}
	if f.Text == "" {
		f.Text = sections[at]
	}
	if f.Default == "*needed*" {
		f.Default = ""
	}
	if param, ok := strings.CutPrefix(at, "workload."); ok {
		f.Programs = parametersOf(param)
	}
	f.values(at, s)
	f.example(at)
	x.fields = append(x.fields, f)
}

// sections says what mappings are of whose fields only FieldTable speaks.
var sections = map[string]string{
	"network": "topology, routing, links, routers and packets, or a real machine", "node": "hosts: NICs, software and memory",
	"engine": "how the run is simulated", "workload": "the program that the ranks run",
	"network.link": "the links between routers", "network.host_link": "the links between NICs and routers",
	"network.links": "links that differ from network.link, by name", "network.router": "all routers",
	"network.packet": "sizes of packets", "network.parameters": "of the models of whole messages",
	"node.protocol": "how messages are sent, by size", "node.intra": "messages between ranks of one host",
	"node.io_bus": "a bus between memory and NICs", "node.work": "work on data within collectives",
	"network.router.shared": "a buffer that all ports of a router share", "network.router.ecn": "which packets routers mark",
	"network.router.classes[].ecn": "which packets of the class routers mark",
	"node.transport":               "how NICs send where packets are lost or paused, or congestion is controlled", "node.transport.credit": "what receivers grant",
	"record.buffers": "which routers' packets are logged", "traffic.measure": "how traffic is measured",
}

// plainWords removes the marks of Markdown around words.
func plainWords(text string) string { return strings.ReplaceAll(text, "`", "") }

// parametersOf lists the programs that have a parameter.
func parametersOf(name string) (list []Parameter) {
	for _, p := range workload.Programs() {
		for i := range p.Params {
			if param := &p.Params[i]; param.Name == name {
				list = append(list, Parameter{p.Name, param.Summary, param.Default})
			}
		}
	}
	return list
}

// quantityForm is a kind of value that is written with a unit.
type quantityForm struct{ pattern, value, unit, example string }

func quantityForms() []quantityForm {
	of := func(v interface{ Written() (string, bool) }, value, unit, example string) quantityForm {
		pattern, _ := v.Written()
		return quantityForm{pattern, value, unit, example}
	}
	return []quantityForm{
		of(units.Time(0), "a time in ps, ns, us, ms or s", "time", "50ns"),
		of(units.Bytes(0), "a size in B, KiB, MiB, GiB or TiB, or kB, MB, GB or TB", "bytes", "4KiB"),
		of(units.Rate(0), "a rate in B/s, kB/s, MB/s, GB/s or TB/s", "bytes/s", "8GB/s"),
		of(units.Fraction(0), "a share, as 0.4 or 40%", "share", "40%"),
		of(units.ErrorRate(0), "a probability, as 1e-12", "probability", "1e-12"),
		of(units.Span{}, "a time, or a share as in 10%", "time", "10us"),
		of(units.PerByte(0), "a time for each byte, or a rate", "time/byte", "1ns"),
	}
}

// values sets what the field accepts.
func (f *Field) values(at string, s *schema.Schema) {
	var kinds []string
	add := func(kind string) {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	for _, form := range forms(s) {
		for _, word := range form.Enum {
			if word, ok := word.(string); ok {
				f.Words = append(f.Words, Word{word, meaningOf(at, word)})
			}
		}
		if form.Enum != nil {
			add("a word")
			continue
		}
		if form.Minimum != nil && form.Maximum != nil && *form.Maximum > *form.Minimum {
			f.Least, f.Most = form.Minimum, form.Maximum
		}
		quantity := slices.IndexFunc(quantityForms(), func(q quantityForm) bool { return q.pattern == form.Pattern })
		switch has := func(kind string) bool { return slices.Contains(form.Types, kind) }; {
		case quantity >= 0:
			add(quantityForms()[quantity].value)
			f.Unit = quantityForms()[quantity].unit
		case form.Ref != "" || form.Properties != nil || has("object"):
			add("a mapping")
		case has("array"):
			add("a list")
		case has("boolean") && form.Pattern != "":
			add("true or false")
			f.Words = append(f.Words, Word{Word: "true"}, Word{Word: "false"})
		case has("integer"):
			add("a whole number")
		case has("number") && form.Minimum != nil:
			add("a number")
		case has("string"):
			add("a text")
		}
	}
	f.Value = strings.Join(kinds, ", or ")
}

// meaningOf returns what a word of a field means; "" if it is not described on its own.
func meaningOf(path, word string) string {
	switch path {
	case "network.topology.kind":
		return topology.FindKind(word).Summary
	case "network.routing.algorithm", "network.routing":
		if k := routing.FindKind(word); k != nil {
			return plainWords(k.Manual.Routes)
		}
	case "node.transport.control.algorithm", "node.transport.control":
		if k := control.FindKind(word); k != nil {
			return plainWords(k.Summary)
		}
	case "node.transport.paths.algorithm", "node.transport.paths":
		if k := paths.FindKind(word); k != nil {
			return plainWords(k.Summary)
		}
	case "network.machine":
		return machines.Find(word).Summary
	case "workload.program":
		return workload.Find(word).Summary
	case "traffic.pattern.name", "traffic.pattern":
		if k := traffic.Find(word); k != nil {
			return k.Summary
		}
	case "network.router.arbiter":
		for _, k := range fabric.Arbiters() {
			if k.Name == word {
				return k.Help
			}
		}
	}
	return ""
}

// valueExamples holds examples of fields whose type does not say what fits, by path.
var valueExamples = map[string]string{
	"network.shape": "[8, 8, 8]", "network.topology.file": "network.edges", "workload.grid": "[8, 8]", "workload.pair": "[0, 1]",
	"workload.file": "recording.txt", "workload.arrivals.interval": "50ms", "workload.slo.first_token": "200ms", "workload.command": "./cg -n 100", "traffic.pattern.file": "destinations.txt", "mapping.file": "hosts.txt",
	"mapping.nodes": "'node[001-064]'", "mapping.axes": "[0, 3, 1, 4, 2, 5]", "partition.file": "parts.txt",
	"imbalance.file": "starts.txt", "noise.file": "ng_osnoise.out", "faults.file": "faults.txt", "faults.random.file": "outages.txt",
	"faults.events[].link": "3-17", "faults.events[].switch": "5", "faults.events[].rate": "25%",
	"mapping.rings": "[2, 4]", "jobs[].name": "stencil", "jobs[].command": "[./cg, 32]",
	"jobs[].trace.file": "traces/stencil.otf2", "jobs[].placement.file": "nodes.txt",
	"jobs[].placement.hosts": "names.txt", "collectives.file": "rules.conf", "workload.algorithm": "ring",
	"record.bins.interval": "10us", "record.buffers.routers": "[0, 5]", "record.flows.from": "[0, 5]", "record.flows.to": "[7]", "traffic.pattern.dims": "[8, 8]",
	"traffic.pattern.hosts": "[0, 7]",
}

// example sets an example of the field: one word that is not the default, or a usual value of its
// type, with what the same mapping needs for it.
func (f *Field) example(at string) {
	if strings.Contains(f.Path, "topology.block.") || strings.Contains(f.Path, "topology.outer.") {
		return // described under network.topology
	}
	mapping, value := f.options(at)
	if mapping == "" {
		if value = valueExamples[at]; value == "" {
			value = f.usual()
		}
		if value == "" {
			return
		}
		mapping = f.beside(at) + f.Path[strings.LastIndexByte(f.Path, '.')+1:] + ": " + value
	}
	names := strings.Split(f.Path, ".")
	for _, name := range slices.Backward(names[:len(names)-1]) {
		if name == "NAME" {
			name = "global"
		}
		if list, ok := strings.CutSuffix(name, "[]"); ok {
			mapping = list + ": [{" + mapping + "}]"
		} else {
			mapping = name + ": {" + mapping + "}"
		}
	}
	f.Example = mapping
	if value != "" && !strings.Contains(f.Path, "[") && !strings.Contains(f.Path, "NAME") {
		f.Set = f.Path + "=" + value
	}
}

// options returns, for an option of a topology or routing algorithm, the options of a small network
// or an algorithm that has it; "" if no example has it.
func (f *Field) options(at string) (mapping, value string) {
	name := at[strings.LastIndexByte(at, '.')+1:]
	has := func(example string) bool {
		return strings.HasPrefix(example, name+":") || strings.Contains(example, " "+name+":")
	}
	switch strings.TrimSuffix(at, "."+name) {
	case "network.topology":
		for _, k := range topology.Kinds() {
			for _, example := range k.Examples {
				if has(example) && !strings.Contains(example, "@") {
					return "kind: " + k.Name + ", " + example, ""
				}
			}
		}
	case "network.routing":
		for _, k := range routing.Kinds() {
			for _, example := range k.Examples {
				if has(example) && !strings.Contains(example, "$") {
					return "algorithm: " + k.Name + ", " + example, ""
				}
			}
		}
	case "node.transport.control":
		for _, k := range control.Kinds() {
			for _, example := range k.Examples {
				if has(example) {
					return "algorithm: " + k.Name + ", " + example, ""
				}
			}
		}
	case "node.transport.paths":
		for _, k := range paths.Kinds() {
			for _, example := range k.Examples {
				if has(example) {
					return "algorithm: " + k.Name + ", " + example, ""
				}
			}
		}
	}
	return "", ""
}

// beside returns what the mapping of a field needs in addition.
func (f *Field) beside(at string) string {
	option, inRouting := strings.CutPrefix(at, "network.routing.")
	switch {
	case at == "network.topology.file":
		return "kind: " + KindFile + ", "
	case at == "network.topology.adapters":
		return "kind: " + KindFile + ", file: " + valueExamples["network.topology.file"] + ", "
	case inRouting:
		for _, k := range routing.Kinds() {
			if k.Takes(option) {
				return "algorithm: " + k.Name + ", "
			}
		}
	case len(f.Programs) > 0:
		return "program: " + f.Programs[0].Program + ", "
	case strings.HasPrefix(at, "workload.") && at != "workload.program" && at != "workload.command" && strings.Count(at, ".") == 1:
		return "program: alltoall, "
	}
	return ""
}

// usual returns a value of the field's type.
func (f *Field) usual() string {
	for _, w := range f.Words {
		if w.Word != f.Default {
			return w.Word
		}
	}
	for _, q := range quantityForms() {
		if strings.Contains(f.Value, q.value) {
			return q.example
		}
	}
	if strings.HasPrefix(f.Value, "a whole number") || strings.HasPrefix(f.Value, "a number") {
		n := 4.0
		if f.Most != nil {
			n = min(n, *f.Most)
		}
		return fmt.Sprint(n)
	}
	return ""
}
