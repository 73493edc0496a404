package sweeps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/config"
	"fabricast/internal/filename"
	"fabricast/internal/humanize"
	"fabricast/plot"
	"fabricast/sweep"
)

// plotFlags holds the flags of fabricast plot.
type plotFlags struct {
	formats []string
	width   string
	height  string
	font    string
	size    string
	out     string
}

// plotFormats lists the formats of plots for papers.
var plotFormats = []string{"svg", "pdf"}

// NewPlot returns the command that draws the plots of a sweep for papers.
func NewPlot() *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot FOLDER [NAME]...",
		Short: "Draw the plots of a sweep for a paper, as SVG or PDF, with their points as CSV",
		Long: `Draw the plots of a sweep for a paper, all or those that are named, from the folder of the sweep, which
may not have ended. They have the axes and colours of the browser report, the width and font of the paper, and no
title. Loads at which the network is saturated are marked at the upper edge, points without a result at the lower
one. Beside each picture is a CSV file with its points.`,
		Example: `  fabricast plot torus-loads.sweep
  fabricast plot torus-loads.sweep latency --format pdf --width 3.5in --font Times --font-size 9pt`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return cmdline.WrongArguments(cmd, args, "the folder of a sweep, and names of its plots or none")
			}
			return nil
		},
		ValidArgsFunction: cmdline.Folders,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.plot(cmd, args[0], args[1:]) },
	}
	cmd.Flags().StringSliceVar(&f.formats, "format", plotFormats, "the `format`: svg, pdf, or both")
	cmd.Flags().StringVar(&f.width, "width", "85mm", "the `width` of the pictures in mm, cm, in or pt")
	cmd.Flags().StringVar(&f.height, "height", "", "their `height` (default two thirds of the width)")
	cmd.Flags().StringVar(&f.font, "font", plot.PDFFonts()[0], "the `font`: "+strings.Join(plot.PDFFonts(), ", ")+
		", which a PDF names and does not embed; in SVG any family")
	cmd.Flags().StringVar(&f.size, "font-size", "8pt", "the `size` of the font in pt or mm")
	cmd.Flags().StringVar(&f.out, "out", "", "leave the files in this `folder` (default FOLDER/paper)")
	cmdline.Completes(cmd, "format", plotFormats...)
	cmdline.Completes(cmd, "font", plot.PDFFonts()...)
	return cmd
}

func (f *plotFlags) plot(cmd *cobra.Command, folder string, names []string) error {
	paper, err := f.paper()
	if err != nil {
		return cmdline.Usage(cmd, err)
	}
	r, err := ending.UntilInterrupted(cmd.Context(), func() (*sweep.Report, error) { return sweep.OpenReport(folder) })
	if err != nil {
		return err
	}
	chosen, err := chosenPlots(folder, r.Curves, names)
	if err != nil {
		return &ending.UsageError{Err: err}
	}
	out := f.out
	if out == "" {
		out = filepath.Join(folder, "paper")
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if r.Unfinished > 0 {
		console.TellNote(cmd, fmt.Sprintf("%d of %d points have no result yet", r.Unfinished, len(r.Rows)))
	}
	for _, c := range chosen {
		if err := f.leave(out, c, paper); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s in %s\n", humanize.Plural(len(chosen), "plot"), out)
	return err
}

// chosenPlots returns the plots with the given names; all if there are none.
func chosenPlots(folder string, all []sweep.Curves, names []string) ([]sweep.Curves, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: found a sweep without plots, expected some: plots in its file", folder)
	}
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, c := range all {
		known = append(known, c.Name)
	}
	var list []sweep.Curves
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			err := fmt.Errorf("%s: found no plot %s, expected %s", folder, name, config.OneOf(known))
			return nil, cmdline.Suggested(err, name, known)
		}
		list = append(list, all[i])
	}
	return list, nil
}

// leave writes one plot in all formats, and its points.
func (f *plotFlags) leave(folder string, c sweep.Curves, paper plot.Paper) error {
	var points bytes.Buffer
	if err := c.Chart().CSV(&points); err != nil {
		return err
	}
	files := map[string][]byte{".csv": points.Bytes()}
	for _, format := range f.formats {
		if format == "svg" {
			files[".svg"] = c.Chart().PaperSVG(paper)
			continue
		}
		text, err := c.Chart().PaperPDF(paper)
		if err != nil {
			return err
		}
		files[".pdf"] = text
	}
	for ending, text := range files {
		path, err := filename.Within(folder, c.Name+ending)
		if err == nil {
			err = atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(text); return err })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Bounds of pictures, in points.
const (
	leastWidth, mostWidth = 72, 72 * 40
	leastSize, mostSize   = 3, 72
)

// paper returns the look of the pictures.
func (f *plotFlags) paper() (p plot.Paper, err error) {
	for _, format := range f.formats {
		if !slices.Contains(plotFormats, format) {
			return p, fmt.Errorf("found --format %s, expected svg or pdf, or both as in svg,pdf", format)
		}
	}
	if len(f.formats) == 0 {
		return p, errors.New("found --format without a value, expected svg or pdf")
	}
	p.Font = f.font
	for i, name := range plot.PDFFonts() {
		if strings.EqualFold(name, f.font) {
			p.Font = plot.PDFFonts()[i]
		}
	}
	if slices.Contains(f.formats, "pdf") && !slices.Contains(plot.PDFFonts(), p.Font) {
		return p, fmt.Errorf(
			"found --font %s, expected one of %s in PDF (--format svg takes any)", f.font, strings.Join(plot.PDFFonts(), ", "),
		)
	}
	if p.Width, err = length("width", f.width, leastWidth, mostWidth); err != nil {
		return p, err
	}
	if p.Size, err = length("font-size", f.size, leastSize, mostSize); err != nil {
		return p, err
	}
	if f.height != "" {
		if p.Height, err = length("height", f.height, leastWidth, mostWidth); err != nil {
			return p, err
		}
	}
	return p, nil
}

// units are those of lengths, in points.
var units = map[string]float64{"pt": 1, "mm": 72 / 25.4, "cm": 720 / 25.4, "in": 72}

// length parses a length within bounds, and returns it in points.
func length(flag, text string, least, most float64) (float64, error) {
	if len(text) > 2 {
		unit := units[text[len(text)-2:]]
		n, err := strconv.ParseFloat(strings.TrimSpace(text[:len(text)-2]), 64)
		if err == nil && unit > 0 && n*unit >= least && n*unit <= most {
			return n * unit, nil
		}
	}
	return 0, fmt.Errorf(
		"found --%s %s, expected a length from %gpt to %gpt with a unit: pt, mm, cm or in", flag, text, least, most,
	)
}
