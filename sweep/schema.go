package sweep

import (
	"reflect"
	"strings"

	"fabricast/experiment"
	"fabricast/internal/schema"
)

// FileSchema returns the JSON Schema of sweep files. It accepts every valid sweep, except those
// whose base experiment has a mistake that every point overrides.
func FileSchema() *schema.Schema {
	within := experiment.Schema()
	paths := within.Paths()
	s := schema.Of(reflect.TypeFor[File](), func(path string, s *schema.Schema) { amend(paths, path, s) })
	s.Title = "Fabricast sweep"
	for name, def := range within.Defs {
		s.Defs[name] = def
	}
	within.Defs, within.Dialect, within.Title = nil, "", ""
	s.Defs["experiment"] = within
	return s
}

// StudySchema returns the JSON Schema of studies, which are sweeps with findings.
func StudySchema() *schema.Schema {
	s := FileSchema()
	s.Title = "Fabricast study"
	s.Required = []string{"findings"}
	return s
}

// amend adds properties that cannot be derived from Go types to the schema of the field at path.
// paths lists the fields of an experiment.
func amend(paths []string, path string, s *schema.Schema) {
	switch path {
	case "experiment":
		*s = schema.Schema{AnyOf: []*schema.Schema{{Ref: schema.Def + "experiment"}}}
	case "axes[].field", "quick.axes[].field":
		*s = *schema.Suggested(paths...)
	case "columns[].name":
		*s = *schema.Suggested(figureNames()...)
	case "findings[].of":
		*s = *schema.Words(reductions...)
	case "plots[].x_scale", "plots[].y_scale":
		*s = *schema.Suggested(scales...)
	}
	s.Description = help[withoutQuick(path)]
}

// withoutQuick returns the path of the corresponding field outside the quick section.
func withoutQuick(path string) string {
	if rest, ok := strings.CutPrefix(path, "quick.axes"); ok && rest != "" {
		return "axes" + rest
	}
	return path
}

// help holds the descriptions of fields in the schemas; docs/sweeps.md has longer ones.
var help = map[string]string{
	"title":      "of table and plots",
	"base":       "the experiment: a file, relative to this one",
	"experiment": "the fields of the experiment, instead of base",
	"axes":       "what changes from point to point; the last axis is the fastest",
	"only":       "an expression over axes: points at which it is false are left out",
	"large":      "an expression over axes: points at which it is true run only with --large",
	"weight": "an expression over axes: the effort of a point in comparison with others, for " +
		"the time left",
	"refused": "points whose experiments are refused, for example because a model does not fit into " +
		"memory, are rows that say why. Otherwise they end the sweep",
	"isolated": "each point runs in a process of its own, so that cpu_s and memory_bytes are of " +
		"that point alone",
	"columns":   "figures of the table: names, or a name and an expression",
	"plots":     "pictures of the table; a sweep of traffic.load without any has latency and throughput",
	"reference": "tables of figures from elsewhere: CSV files with a header",
	"findings":  "what is expected of the table",
	"quick":     "how --quick cuts the sweep down",

	"axes[].name":   "in tables and expressions. Default: the last part of the field's path",
	"axes[].field":  "path in the experiment, as for --set",
	"axes[].values": "each value once",
	"axes[].from":   "the beginning of a range, instead of values",
	"axes[].to":     "the end of a range, in the unit of from",
	"axes[].step":   "of a range: what is added, in the unit of from",
	"axes[].factor": "of a range, instead of step: above 1",
	"axes[].cases":  "instead of a field: points that set several fields",

	"axes[].cases[].label": "in tables and expressions",
	"axes[].cases[].set":   "paths of fields with their values",
	"axes[].cases[].with":  "names with numbers or words, for use in expressions",

	"columns[].name":  "of the column; without a value, that of a figure",
	"columns[].value": "an expression over axes, figures and the columns before it",
	"columns[].at":    "axes with values: the figure is that of the row with these, alike in all other axes",

	"plots[].name":      "of the file, without .svg. Default: plot-1 and so on",
	"plots[].title":     "Default: that of the sweep",
	"plots[].x":         "an expression",
	"plots[].y":         "an expression",
	"plots[].error":     "an expression: half-width of the confidence interval of y",
	"plots[].reference": "an expression: y of a dashed curve, for figures from elsewhere",
	"plots[].where":     "a condition: the rows that are shown",
	"plots[].beyond":    "a condition: the rows whose y is above all that is shown, marked at the upper edge",
	"plots[].series":    "axes whose values distinguish curves. Default: all but x",
	"plots[].x_title":   "of the horizontal axis",
	"plots[].y_title":   "of the vertical axis",
	"plots[].x_scale":   "linear or log. Default: linear",
	"plots[].y_scale":   "linear or log. Default: linear",
	"plots[].y_max":     "where the vertical axis ends, a number",

	"reference[].name": "columns are known to expressions as name.column",
	"reference[].file": "relative to this file",
	"reference[].on":   "columns that select the point, named as axes",

	"findings[].that":         "in words what is expected",
	"findings[].where":        "a condition: the rows that it is about. Default: all",
	"findings[].value":        "an expression: the figure that it is about",
	"findings[].of":           "each row, or one figure of them. Default: each",
	"findings[].compare":      "instead of a value, the ratio of two rows' values",
	"findings[].compare.axis": "in which the two rows differ",
	"findings[].compare.of":   "the value of the axis whose figure is divided",
	"findings[].compare.with": "the value of the axis whose figure divides",
	"findings[].is":           "an expression: the value expected",
	"findings[].within":       "how far the value may be off: absolute, or as in 5%",
	"findings[].at_least":     "an expression",
	"findings[].at_most":      "an expression",
	"findings[].rises":        "an axis along which the value does not fall",
	"findings[].falls":        "an axis along which the value does not rise",
	"findings[].slack":        "by how much it may",
	"findings[].full":         "expected of the full sweep only, not with --quick",
	"findings[].large":        "expected only with --large",

	"quick.set":  "paths of fields with their values",
	"quick.axes": "instead of the axes of the same names",
	"quick.only": "instead of only",
}
