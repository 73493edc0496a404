package sweep

// Note is a warning in the results of some points (fabricast.Result.Notes).
type Note struct {
	Text   string `json:"text"`
	Points int    `json:"points"` // number of points with this note
}

// Notes returns the notes of all points in order of first occurrence.
func (t *Table) Notes() []Note {
	var notes []Note
	place := map[string]int{}
	for i := range t.Rows {
		if t.Rows[i].Result == nil {
			continue
		}
		for _, text := range t.Rows[i].Result.Notes {
			at, seen := place[text]
			if !seen {
				at = len(notes)
				place[text] = at
				notes = append(notes, Note{Text: text})
			}
			notes[at].Points++
		}
	}
	return notes
}
