package experiment

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"

	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/fabric"
	"fabricast/internal/option"
	"fabricast/internal/pattern"
	"fabricast/internal/schema"
	"fabricast/machines"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
	"fabricast/workload"
)

// fieldTable is FieldTable without the rows of options, which are generated from the options' own
// descriptions.
//
//go:embed fields.txt
var fieldTable string

// FieldTable returns the Markdown table of all experiment fields, from which schemas take their
// descriptions. docs/formats/experiment.md shows it without the fields that other pages describe.
func FieldTable() string {
	var topologies, algorithms, controls, choosers []option.Kind
	for _, k := range topology.Kinds() {
		topologies = append(topologies, option.Kind{Name: k.Name, Options: k.Options})
	}
	for _, k := range routing.Kinds() {
		algorithms = append(algorithms, option.Kind{Name: k.Name, Options: k.Options})
	}
	for _, k := range control.Kinds() {
		controls = append(controls, option.Kind{Name: k.Name, Options: k.Options})
	}
	for _, k := range paths.Kinds() {
		choosers = append(choosers, option.Kind{Name: k.Name, Options: k.Options})
	}
	return strings.NewReplacer(
		"@arbiters", arbiterList(), "@kinds", quotedList(topology.KindNames()),
		"@algorithms", quotedList(routing.KindNames()), "@machines", quotedList(machines.Names()),
		"@options of topologies\n", option.Table("network.topology", topologies),
		"@options of routing\n", option.Table("network.routing", algorithms),
		"@controls", quotedList(control.KindNames()), "@choosers", quotedList(paths.KindNames()),
		"@options of control\n", option.Table("node.transport.control", controls),
		"@options of paths\n", option.Table("node.transport.paths", choosers),
	).Replace(fieldTable)
}

// arbiterList returns the arbiters in Markdown, each with a description of what it grants first.
func arbiterList() string {
	var list []string
	for _, k := range fabric.Arbiters() {
		list = append(list, "`"+k.Name+"` ("+k.Help+")")
	}
	return strings.Join(list, ", ")
}

// quotedList returns words in Markdown: `a`, `b` or `c`.
func quotedList(words []string) string {
	last := len(words) - 1
	return "`" + strings.Join(words[:last], "`, `") + "` or `" + words[last] + "`"
}

// Schema returns the JSON Schema of experiment files. It accepts every file that Resolve accepts,
// except that it rejects an empty text where a word is expected.
func Schema() *schema.Schema {
	help := fieldHelp()
	s := schema.Of(
		reflect.TypeFor[Experiment](),
		func(path string, s *schema.Schema) { amend(help, path, s) },
		schemaVariants()...,
	)
	s.Title = "Fabricast experiment"
	return s
}

// inPart matches the path of a field within a part of a hierarchical topology.
var inPart = pattern.Lazy(`^network\.topology\.(block|outer)\.`)

// amend adds to the schema of the field at path what its Go type does not express: allowed words,
// bounds and the description.
func amend(help map[string]fieldText, path string, s *schema.Schema) {
	path = pathOfText(help, path)
	if list := known(path); list != nil {
		*s = *schema.Words(list...)
	}
	if special, ok := specials[path]; ok {
		special(s)
	}
	if b, ok := bounds[path]; ok {
		s.Bound(b[0], b[1])
	}
	for _, c := range conditionsOf(path) {
		mapping(s).AllOf = append(mapping(s).AllOf, c...)
	}
	s.Description = describedBy(help, path).String()
}

// pathOfText returns the path under which a field is described: a field of a part of a topology is
// described like one of the whole, and a field of a job like that of an experiment with one program.
func pathOfText(help map[string]fieldText, path string) string {
	path = inPart().ReplaceAllString(path, "network.topology.")
	if inJob, ok := strings.CutPrefix(path, "jobs[]."); ok && help[path] == (fieldText{}) &&
		slices.Contains(jobFields, rootOf(inJob)) {
		return inJob
	}
	return path
}

// describedBy returns the description of the field at path: its own, that of the same field
// elsewhere, or the list of programs that have this parameter.
func describedBy(help map[string]fieldText, path string) fieldText {
	if text := help[path]; text != (fieldText{}) {
		return text
	}
	if name, ok := strings.CutPrefix(path, "workload."); ok {
		return fieldText{meaning: "a parameter of " + takenBy(name)}
	}
	name, last, deeper := strings.Cut(strings.TrimPrefix(path, "collectives."), ".")
	switch {
	case name == path: // the field is not one of a collective
		return fieldText{}
	case !deeper:
		return fieldText{meaning: "algorithm and pacing of " + name}
	case last == "algorithm":
		return fieldText{meaning: "the algorithm of " + name + ", in place of the table's"}
	}
	return help["workload."+last] // a field of a collective's pacing
}

// takenBy lists the built-in programs that have the given parameter.
func takenBy(param string) string {
	var names []string
	for _, p := range workload.Programs() {
		if p.Takes(param) {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", ")
}

// mapping returns the alternative of s that is a mapping with fields, or s itself if there is none.
func mapping(s *schema.Schema) *schema.Schema {
	for _, form := range s.AnyOf {
		if form.Properties != nil {
			return form
		}
	}
	return s
}

// known lists the words that the field at path accepts, or returns nil if it accepts any text.
func known(path string) []string {
	switch path {
	case "network.topology.kind":
		return topology.KindNames()
	case "network.routing.algorithm":
		return routing.KindNames()
	case "node.transport.control.algorithm":
		return control.KindNames()
	case "node.transport.paths.algorithm":
		return paths.KindNames()
	case "network.machine":
		return machines.Names()
	case "workload.program":
		return workload.Names()
	case "workload.barrier":
		return collective.Names(collective.KindBarrier)
	case "traffic.pattern.name":
		return traffic.Names()
	case "mapping.order", "partition.by", "jobs[].placement.order": // words, or a file
		return nil
	}
	if field, ok := strings.CutPrefix(path, "workload."); ok {
		return workload.WordsOf(field)
	}
	if o := optionOf(path); o != nil {
		return wordsOf(o.Type)
	}
	if kind, ok := strings.CutPrefix(path, "collectives."); ok {
		if kind, ok = strings.CutSuffix(kind, ".algorithm"); ok {
			return collective.Names(collective.Kind(kind))
		}
	}
	return words[path]
}

// optionOf returns the option of a topology or an algorithm that the field at path sets, taken
// from the first kind that has it, or nil if there is none.
func optionOf(path string) *option.Option {
	for at, lists := range map[string][][]option.Option{
		"network.topology.": topologyOptions(), "network.routing.": routingOptions(),
		"node.transport.control.": controlOptions(), "node.transport.paths.": pathsOptions(),
	} {
		name, ok := strings.CutPrefix(path, at)
		for _, list := range lists {
			for i := range list {
				if ok && list[i].Name == name {
					return &list[i]
				}
			}
		}
	}
	return nil
}

func topologyOptions() (lists [][]option.Option) {
	for _, k := range topology.Kinds() {
		lists = append(lists, k.Options)
	}
	return lists
}

func routingOptions() (lists [][]option.Option) {
	for _, k := range routing.Kinds() {
		lists = append(lists, k.Options)
	}
	return lists
}

func controlOptions() (lists [][]option.Option) {
	for _, k := range control.Kinds() {
		lists = append(lists, k.Options)
	}
	return lists
}

func pathsOptions() (lists [][]option.Option) {
	for _, k := range paths.Kinds() {
		lists = append(lists, k.Options)
	}
	return lists
}

// schemaVariants returns the kinds of topologies, and the algorithms.
func schemaVariants() []schema.Variants {
	list := []schema.Variants{
		{Interface: specType, Key: "kind", Name: "topology"},
		{Interface: reflect.TypeFor[routing.Spec](), Key: "algorithm", Short: true},
		{Interface: reflect.TypeFor[control.Spec](), Key: "algorithm", Short: true},
		{Interface: reflect.TypeFor[paths.Spec](), Key: "algorithm", Short: true},
	}
	for _, k := range topology.Kinds() {
		list[0].Structs = append(list[0].Structs, reflect.TypeOf(k.New()).Elem())
	}
	for _, k := range routing.Kinds() {
		list[1].Structs = append(list[1].Structs, reflect.TypeOf(k.New()).Elem())
	}
	for _, k := range control.Kinds() {
		list[2].Structs = append(list[2].Structs, reflect.TypeOf(k.New()).Elem())
	}
	for _, k := range paths.Kinds() {
		list[3].Structs = append(list[3].Structs, reflect.TypeOf(k.New()).Elem())
	}
	return list
}

// bounds holds the minimum and maximum values of numeric fields.
var bounds = map[string][2]float64{
	"network.router.vcs": {1, routing.MaxVCs},
	"node.nics":          {1, routing.MaxNICs},
	"node.ranks":         {1, maxShare},

	"node.transport.queue_pairs":      {1, mostQueuePairs},
	"node.transport.timeout_exponent": {0, mostTimeoutExponent},
}

// specials holds functions that change the schemas of fields with several forms, by path.
var specials = map[string]func(s *schema.Schema){
	"network.routing.root": func(s *schema.Schema) {
		s.Types, s.Pattern = []string{"string", "integer"}, "^(middle|[+-]?[0-9]+)$"
	},
	"network.routing.zones[]": func(s *schema.Schema) { s.Types = []string{"string"} },
	"mapping.order": func(s *schema.Schema) {
		*s = schema.Schema{
			AnyOf: []*schema.Schema{
				schema.Words(words["mapping.order"]...),
				{Types: []string{"string"}, Pattern: "^" + filePrefix},
			},
		}
	},
	"partition.by": func(s *schema.Schema) {
		*s = schema.Schema{
			AnyOf: []*schema.Schema{
				schema.Words(words["partition.by"]...),
				{Types: []string{"string"}, Pattern: "^" + filePrefix},
			},
		}
	},
	"jobs[].placement.order": func(s *schema.Schema) {
		*s = schema.Schema{
			AnyOf: []*schema.Schema{
				schema.Words(placements...),
				{Types: []string{"string"}, Pattern: "^" + filePrefix},
			},
		}
	},
	"jobs[].trace.operations":         func(s *schema.Schema) { number(s, maxOperations) },
	"jobs[].trace.scale_messages":     func(s *schema.Schema) { number(s, maxFactor) },
	"jobs[].trace.scale_compute.NAME": func(s *schema.Schema) { number(s, maxFactor) },
	"collectives.table":               func(s *schema.Schema) { *s = *schema.Suggested(tables.Names()...) },
	"record.bins.interval":            func(s *schema.Schema) { *s = *schema.Suggested(IntervalAuto) },
	"workload.pacing":                 paced,
	"compute.ranks.NAME":              func(s *schema.Schema) { number(s, maxFactor) },
	"compute.factor":                  func(s *schema.Schema) { number(s, maxFactor) },
	"workload.algorithm":              func(s *schema.Schema) { s.Types = []string{"string"} },
	"traffic.window":                  func(s *schema.Schema) { s.Bound(0, 1<<16) },
	"node.gap":                        func(s *schema.Schema) { s.Bound(0, fabric.MaxGap) },
}

// number turns s into the schema of a number above 0 and up to most.
func number(s *schema.Schema, most float64) { s.Types = []string{"number", "string"}; s.Bound(0, most) }

// paced turns s into the schema of a pacing: a word, a number of packet times, or a mapping.
func paced(s *schema.Schema) {
	gap := &schema.Schema{AnyOf: []*schema.Schema{
		schema.Words(PacingMOD, PacingHops), {Types: []string{"integer", "string"}, Pattern: "^[+-]?[0-9]+$"},
	}}
	gap.AnyOf[1].Bound(0, fabric.MaxGap)
	long := mapping(s)
	for i, form := range s.AnyOf {
		if form != long {
			s.AnyOf[i] = gap
		}
	}
	barrier := long.Properties["barrier"]
	barrier.Types, barrier.Pattern = []string{"string", "integer", "null"}, "^("+PacingStart+"|[+-]?[0-9]+)?$"
	long.Properties["gap"] = &schema.Schema{
		Description: long.Properties["gap"].Description,
		AnyOf:       append(slices.Clone(gap.AnyOf), &schema.Schema{Types: []string{"null"}}),
	}
}

func init() {
	for _, kind := range collective.Kinds() {
		specials["collectives."+string(kind)+".pacing"] = paced
		specials["collectives."+string(kind)+".algorithm"] = func(s *schema.Schema) {
			description := s.Description
			*s = *algorithms(kind)
			s.Description = description
		}
	}
}

// conditionsOf returns the conditions that one field imposes on others in the mapping at path.
func conditionsOf(path string) [][]*schema.Schema {
	switch path {
	case schema.Def + "topology":
		return [][]*schema.Schema{kindConditions()}
	case "network.routing":
		return [][]*schema.Schema{routingConditions()}
	case "node.transport.control":
		return [][]*schema.Schema{controlConditions()}
	case "node.transport.paths":
		return [][]*schema.Schema{pathsConditions()}
	case "traffic.pattern":
		return [][]*schema.Schema{patternConditions()}
	case "workload":
		return [][]*schema.Schema{programConditions()}
	}
	return nil
}

// when returns the condition that the schema then applies if field has the given value. Unless
// needed is true, then also applies if the field is missing.
func when(field, value string, then *schema.Schema, needed bool) *schema.Schema {
	c := &schema.Schema{Properties: map[string]*schema.Schema{field: {Const: value}}}
	if needed {
		c.Required = []string{field}
	}
	return &schema.Schema{If: c, Then: then}
}

// nothing returns the schema of values that count as not given: null, zero, false, or an empty text
// or list.
func nothing() *schema.Schema {
	none := 0
	s := &schema.Schema{
		Types:    []string{"null", "number", "string", "array", "boolean"},
		Pattern:  "^([+-]?0.*)?$",
		MaxItems: &none,
	}
	s.Bound(0, 0)
	return s
}

// without returns the schema of a mapping in which no field of the struct type t has a value,
// except for those in fields and always. empty returns the schema of a field without a value.
func without(t reflect.Type, empty func() *schema.Schema, fields []string, always ...string) *schema.Schema {
	s := &schema.Schema{Properties: map[string]*schema.Schema{}}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "" || name == "-" || slices.Contains(fields, name) || slices.Contains(always, name) {
			continue
		}
		s.Properties[name] = empty()
	}
	return s
}

// withoutOthers returns the schema of a mapping that has no options of other kinds. lists holds the
// options of all kinds, and own those of the mapping's kind.
func withoutOthers(lists [][]option.Option, own []option.Option) *schema.Schema {
	s := &schema.Schema{Properties: map[string]*schema.Schema{}}
	for _, list := range lists {
		for _, o := range list {
			if !slices.Contains(namesOf(own), o.Name) {
				s.Properties[o.Name] = null()
			}
		}
	}
	return s
}

// null is the schema of a field that is missing or has no value.
func null() *schema.Schema { return &schema.Schema{Types: []string{"null"}} }

func kindConditions() (list []*schema.Schema) {
	for _, k := range topology.Kinds() {
		then := withoutOthers(topologyOptions(), k.Options)
		list = append(list, when("kind", k.Name, then, k.Name != KindTorus))
	}
	return list
}

func routingConditions() (list []*schema.Schema) {
	for _, k := range routing.Kinds() {
		then := withoutOthers(routingOptions(), k.Options)
		list = append(list, when("algorithm", k.Name, then, true))
	}
	return list
}

func controlConditions() (list []*schema.Schema) {
	for _, k := range control.Kinds() {
		then := withoutOthers(controlOptions(), k.Options)
		list = append(list, when("algorithm", k.Name, then, k.Name != ControlNone))
	}
	return list
}

func pathsConditions() (list []*schema.Schema) {
	for _, k := range paths.Kinds() {
		then := withoutOthers(pathsOptions(), k.Options)
		list = append(list, when("algorithm", k.Name, then, k.Name != PathsECMP))
	}
	return list
}

func patternConditions() (list []*schema.Schema) {
	for _, k := range traffic.Kinds() {
		then := without(reflect.TypeFor[Pattern](), nothing, k.Params, "name")
		list = append(list, when("name", k.Name, then, true))
	}
	return list
}

func programConditions() (list []*schema.Schema) {
	for _, p := range workload.Programs() {
		var params []string
		for _, param := range p.Params {
			params = append(params, param.Name)
		}
		then := without(reflect.TypeFor[Workload](), nothing, params, "program", "pacing")
		for _, param := range p.Params {
			then.Properties[param.Name] = &schema.Schema{Description: paramHelp(param)}
		}
		if kind, _ := p.Calls(1); kind != "" {
			algorithm := algorithms(kind)
			algorithm.AnyOf = append(algorithm.AnyOf, &schema.Schema{Types: []string{"null"}})
			algorithm.Description = then.Properties["algorithm"].Description
			then.Properties["algorithm"] = algorithm
		}
		list = append(list, when("program", p.Name, then, true))
	}
	return list
}

// algorithms returns the schema of the algorithm of a collective, with or without options.
func algorithms(kind collective.Kind) *schema.Schema {
	return &schema.Schema{AnyOf: []*schema.Schema{
		schema.Words(collective.Names(kind)...),
		{Types: []string{"string"}, Pattern: collective.OptionsPattern(kind)},
	}}
}

func paramHelp(p workload.Param) string {
	if p.Default == "" {
		return p.Summary
	}
	return p.Summary + ". Default: " + p.Default + "."
}

// fieldText is what FieldTable says of a field, as plain text.
type fieldText struct{ meaning, otherwise string } // otherwise: the default; may be empty

// String returns the description of the field in schemas.
func (t fieldText) String() string {
	switch {
	case t.otherwise == "":
		return t.meaning
	case t.meaning == "":
		return "Default: " + t.otherwise
	}
	return t.meaning + ". Default: " + t.otherwise
}

// fieldHelp returns the text of each field in FieldTable, by path.
func fieldHelp() map[string]fieldText {
	help := map[string]fieldText{}
	for line := range strings.Lines(FieldTable()) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00"), "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		var paths []string
		for _, name := range quoted().FindAllStringSubmatch(cells[1], -1) {
			path := name[1]
			if last, ok := strings.CutPrefix(path, "."); ok {
				first := paths[len(paths)-1]
				path = first[:strings.LastIndexByte(first, '.')+1] + last
			}
			paths = append(paths, path)
		}
		for i, path := range paths {
			help[path] = fieldText{
				rowPart(plainText(cells[2]), i, len(paths)), rowDefault(plainText(cells[3]), i, len(paths)),
			}
		}
	}
	return help
}

// rowPart returns what the text of a row of n fields says of the i-th: the text has a part for each
// field, which an introduction may precede, or else is about all.
func rowPart(text string, i, n int) string {
	if n == 1 || len(outsideBrackets(text)) != n {
		return text
	}
	introduction, parts, introduced := strings.Cut(text, ": ")
	if !introduced || strings.Contains(introduction, "; ") {
		return outsideBrackets(text)[i]
	}
	return outsideBrackets(parts)[i] + " (" + introduction + ")"
}

// outsideBrackets splits a text at semicolons; one in brackets separates no fields.
func outsideBrackets(text string) (parts []string) {
	depth, start := 0, 0
	for i, letter := range text {
		switch {
		case letter == '(':
			depth++
		case letter == ')':
			depth--
		case letter == ';' && depth == 0 && strings.HasPrefix(text[i:], "; "):
			parts = append(parts, text[start:i])
			start = i + len("; ")
		}
	}
	return append(parts, text[start:])
}

// rowDefault returns the default of the i-th of the n fields of a row, which may have one for all.
func rowDefault(text string, i, n int) string {
	for _, between := range []string{"; ", ", "} {
		if parts := strings.Split(text, between); len(parts) == n {
			return parts[i]
		} else if len(parts) > 1 {
			break
		}
	}
	return text
}

var (
	quoted = pattern.Lazy("`([^`]+)`")
	linked = pattern.Lazy(`\[([^\]]*)\]\([^)]*\)`)
)

// plainText returns a cell of FieldTable without Markdown links.
func plainText(cell string) string {
	return strings.TrimSpace(strings.ReplaceAll(linked().ReplaceAllString(cell, "$1"), "\x00", "|"))
}
