package why

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"fabricast/internal/atomicfile"
	"fabricast/internal/input"
	"fabricast/record"
)

const helpsSchema = "fabricast.what-helps/1"

// Helps are changes of an experiment, each measured by a run, as they are kept in the folder of the
// run without changes.
type Helps struct {
	Schema    string   `json:"schema"`
	Predicted int64    `json:"predicted_ps"` // without changes
	Changes   []Change `json:"what_helps"`   // by descending gain
	Notes     []string `json:"notes,omitempty"`
}

// KeepHelps writes the changes that were measured into the folder of the run.
func (p *Path) KeepHelps(folder string, notes []string) error {
	text, err := json.MarshalIndent(
		Helps{Schema: helpsSchema, Predicted: p.Predicted, Changes: p.WhatHelps, Notes: notes}, "", "  ",
	)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(folder, record.WhatHelpsFile), append(text, '\n'))
}

// ReadHelps reads the changes that were measured for a run; nil if none were.
func ReadHelps(folder *record.Reader, predicted int64) (*Helps, error) {
	text, err := input.Bytes(folder.Path(record.WhatHelpsFile), input.Layout)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	h := &Helps{}
	if err == nil {
		err = json.Unmarshal(text, h)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", record.WhatHelpsFile, err)
	case h.Schema != helpsSchema:
		return nil, fmt.Errorf("%s is of schema %q, this version reads %q", record.WhatHelpsFile, h.Schema,
			helpsSchema)
	case h.Predicted != predicted:
		return nil, fmt.Errorf("%s is of a run of %d ps, not of this one of %d ps", record.WhatHelpsFile,
			h.Predicted, predicted)
	}
	return h, nil
}
