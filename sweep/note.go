package sweep

// Note is a note of points' results (fabricast.Result.Notes).
type Note struct {
	Text   string `json:"text"`
	Points int    `json:"points"` // that have it
}

// Notes are those of all points, in the order in which they first come.
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
