package serving

import (
	"slices"
	"strings"
	"testing"

	"fabricast/internal/config"
)

const titles = "TIMESTAMP,ContextTokens,GeneratedTokens\n"

func parse(text string) ([]Request, config.Problems) {
	return ParseArrivals(&config.Source{Name: "arrivals.csv", Text: text})
}

// The columns and times of the traces of 2023 and 2024, and seconds, with columns in any order.
func TestArrivals(t *testing.T) {
	want := []Request{{0, 4808, 10}, {52_000_000_000, 3180, 8}}
	for _, text := range []string{
		titles + "2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n",
		"\ufeff" + titles + "2024-05-12 00:00:00.952000+00:00,4808,10\r\n2024-05-12 00:00:01.004000+00:00,3180,8\r\n\r\n",
		titles + "2024-05-12T23:59:59.99Z,4808,10\n2024-05-13T00:00:00.042Z,3180,8",
		"ContextTokens, GeneratedTokens, id, TIMESTAMP\n4808, 10, a, 7\n3180, 8, b, 7.052\n",
	} {
		list, problems := parse(text)
		if len(problems) > 0 || !slices.Equal(list, want) {
			t.Errorf("%q: %v, %v", text, list, problems)
		}
	}
}

// Wrong files are refused with the place, what was found, and what is expected.
func TestWrongArrivals(t *testing.T) {
	for text, want := range map[string]string{
		"": "arrivals.csv:1:1: titles: found none, expected TIMESTAMP,ContextTokens,GeneratedTokens",
		"TIMESTAMP,Prompt,GeneratedTokens\n1,2,3\n": "arrivals.csv:1:1: titles: found TIMESTAMP,Prompt,GeneratedTokens, expected a column ContextTokens",
		titles:                                    "request: found none, expected at least one below the titles",
		titles + "1,2\n":                          "arrivals.csv:2:1: request: found 1,2, expected at least 3 fields",
		titles + "1,2,3\n0.5,2,3\n":               "arrivals.csv:3:1: TIMESTAMP: found 0.5, expected a time that is not before that of the request above",
		titles + "-1,2,3\n":                       "arrivals.csv:2:1: TIMESTAMP: found -1, expected a time such as",
		titles + "1,0,3\n":                        "arrivals.csv:2:3: ContextTokens: found 0, expected a whole number of tokens from 1 to",
		titles + "1,7,\n":                         "arrivals.csv:2:5: GeneratedTokens: found nothing, expected a whole number",
		titles + "1,7,2000000\n":                  "arrivals.csv:2:5: GeneratedTokens: found 2000000, expected a whole number",
		titles + "2e3,7,2\n":                      "arrivals.csv:2:1: TIMESTAMP: found 2e3, expected a time such as",
		titles + "1,7,2\n1000002,7,2":             "arrivals.csv:3:1: TIMESTAMP: found 1000002, expected a time such as",
		titles + "1,7,2\n2026-11-30 09:00:00,7,2": "expected a time of the kind of the first one",
		titles + "2026-01-30 09:00:00,7,2\n2026-11-30 09:00:00,7,2": "after the first request",
	} {
		_, problems := parse(text)
		if got := problems.Error(); !strings.Contains(got, want) {
			t.Errorf("%q: %s, expected %s", text, got, want)
		}
	}
}

// Whatever a file holds, it is refused with a reason, or holds requests in order.
func FuzzArrivals(f *testing.F) {
	f.Add(titles + "2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n")
	f.Add(titles + "0,1,1\n3.25,2,2\n999999.999999999999,3,3\n")
	f.Add("ContextTokens,GeneratedTokens,TIMESTAMP\n1,1,0001-01-01 00:00:00\n1,1,9999-12-31 23:59:59\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, problems := parse(text)
		if len(problems) == 0 && len(list) == 0 {
			t.Fatal("neither requests nor problems")
		}
		for _, p := range problems {
			if p.Field == "" || p.Found == "" || p.Expected == "" || p.Position.Line < 1 || p.Position.Column < 1 {
				t.Fatalf("%+v", p)
			}
		}
		last := int64(0)
		for _, q := range list {
			if q.At < last || q.At > mostSpan || q.Prompt < 1 || q.Output < 1 {
				t.Fatalf("%+v after %d", q, last)
			}
			last = q.At
		}
	})
}
