package calibrate

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
)

// Text prints the result as plain text for a terminal.
func (r *Result) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "parameter\tvalue\t95 % confidence\tfields")
	for _, p := range r.Parameters {
		interval := p.Note
		switch {
		case p.Low != "":
			interval = p.Low + " to " + p.High
		case p.Determined:
			interval = "of those that were tried"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", p.Name, p.Value, interval, strings.Join(p.Fields, ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "before       %s\nfitted       %s\n", r.Before, r.Fitted)
	_, err := fmt.Fprintf(w, "held back    %s\nsimulations  %d, and %d known from "+
		"others\n", r.Held, r.Simulations, r.Reused)
	return err
}

// String formats the errors in one line.
func (e Errors) String() string {
	if e.Count == 0 {
		return "no measurements"
	}
	return fmt.Sprintf("%s, error %.1f %% in the median, 90 %% up to %.1f %%, all up to %.1f %%",
		humanize.Plural(e.Count, "measurement"), 100*e.Median, 100*e.P90, 100*e.Most)
}

// Outcomes prints every measurement with its prediction, as CSV.
func (r *Result) Outcomes(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "of,measured_ns,predicted_ns,error,held"); err != nil {
		return err
	}
	for _, o := range r.Measurements {
		if _, err := fmt.Fprintf(
			w, "%s,%.1f,%.1f,%.4f,%t\n", o.Of, o.Measured/1e3, o.Predicted/1e3, o.Error, o.Held,
		); err != nil {
			return err
		}
	}
	return nil
}

// YAML writes the network's file with the fitted parameters, and the results of the fit as a
// comment. from names the measurements.
func (r *Result) YAML(w io.Writer, from string) error {
	var comment strings.Builder
	fmt.Fprintf(&comment, "fabricast calibrate %s\n", from)
	if err := r.Text(&comment); err != nil {
		return err
	}
	for line := range strings.Lines(comment.String()) {
		if _, err := fmt.Fprint(
			w, strings.TrimRight("# "+strings.TrimRight(line, "\n"), " ")+"\n",
		); err != nil {
			return err
		}
	}
	document := r.base
	for _, set := range r.sets {
		var err error
		if document, err = document.Set(set); err != nil {
			return err
		}
	}
	for _, key := range topFields {
		if n := document.Field(key); n != nil {
			if _, err := fmt.Fprint(w, key+":"+block(n, "  ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// topFields are the top-level fields that a calibrated file contains.
var topFields = []string{"network", "node", "mapping", "collectives", "workload", "ranks", "seed"}

// plain matches texts that need no quotes in YAML.
var plain = pattern.Lazy(`^[A-Za-z0-9_./+-][A-Za-z0-9_./+ -]*$`)

// block formats a node in YAML after its key.
func block(n *fabricast.Fragment, indent string) string {
	if n.Kind != config.Mapping || len(n.Fields) == 0 {
		return " " + inline(n) + "\n"
	}
	text := "\n"
	for _, f := range n.Fields {
		text += indent + quoted(f.Key) + ":" + block(f.Value, indent+"  ")
	}
	return text
}

// inline formats a node in one line.
func inline(n *fabricast.Fragment) string {
	var parts []string
	switch n.Kind {
	case config.Null:
		return "null"
	case config.List:
		for _, item := range n.Items {
			parts = append(parts, inline(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case config.Mapping:
		for _, f := range n.Fields {
			parts = append(parts, quoted(f.Key)+": "+inline(f.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return quoted(n.Text)
}

func quoted(text string) string {
	if plain().MatchString(text) {
		return text
	}
	return fmt.Sprintf("%q", text)
}
