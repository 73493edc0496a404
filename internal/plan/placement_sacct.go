package plan

import (
	"strings"

	"fabricast/internal/fields"
)

// sacct reads what Slurm's sacct prints of one job: a line of titles with NodeList, then lines of the job
// and its steps. found is false if the text has no such titles.
func (l *hostList) sacct() (found bool) {
	number, columns := 0, -1
	job := ""
	var id int
	bars := false
	for line := range strings.Lines(l.source.Text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		bars = bars || columns < 0 && strings.Contains(line, "|")
		words := cells(line, bars)
		if columns < 0 {
			if len(words) == 0 {
				continue
			}
			if columns, id = titles(words); columns < 0 {
				return false
			}
			continue
		}
		if len(words) <= columns || strings.Trim(line, "- ") == "" {
			continue
		}
		if id >= 0 && id < len(words) {
			name, step, _ := strings.Cut(words[id].Text, ".")
			switch {
			case step != "" || name == "":
				continue // a step: the job has its nodes
			case job != "" && name != job:
				l.fail(l.at(number, words[id]), "job", name+" after "+job, "one job: sacct -X -P -j JOB -o JobID,NodeList")
				return true
			}
			job = name
		}
		l.nodes(number, words[columns])
	}
	return columns >= 0
}

// titles returns the columns NodeList and JobID of a line; -1 for one that it does not have.
func titles(words []fields.Word) (nodes, id int) {
	nodes, id = -1, -1
	for i, w := range words {
		switch strings.ToLower(w.Text) {
		case "nodelist":
			nodes = i
		case "jobid", "jobidraw":
			id = i
		}
	}
	return nodes, id
}

// cells splits a line at bars (sacct -P), or at blanks.
func cells(line string, bars bool) (list []fields.Word) {
	if !bars {
		return fields.Append(nil, line)
	}
	column := 1
	for _, text := range strings.Split(line, "|") {
		w := fields.Word{Text: text, Column: column}
		column += w.Width() + 1
		w.Text = strings.TrimSpace(text)
		list = append(list, w)
	}
	return list
}

// nodes adds the nodes of a job.
func (l *hostList) nodes(number int, w fields.Word) {
	if strings.HasSuffix(w.Text, "+") {
		l.fail(l.at(number, w), "name", w.Text, "the whole list, which sacct prints with -P")
		return
	}
	l.line(strings.Repeat(" ", w.Column-1)+w.Text, number)
}
