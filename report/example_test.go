package report_test

import (
	"fmt"

	"fabricast/report"
)

// Figures have the same form in all results.
func Example() {
	fmt.Println(report.Time(int64(57_269_200)))
	fmt.Println(report.Rate(1.09e9))
	fmt.Println(report.Percent(0.1362))
	fmt.Println(report.Count(749056))
	// Output:
	// 57.27 us
	// 1.090 GB/s
	// 13.62 %
	// 749,056
}
