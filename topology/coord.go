package topology

import "strconv"

// coordName returns the coordinates of a router as text, first dimension first: "(3,0,1)".
func coordName(router int, dims []int) string {
	text := []byte{'('}
	for d, k := range dims {
		if d > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(router%k), 10)
		router /= k
	}
	return string(append(text, ')'))
}
