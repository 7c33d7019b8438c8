// Package helm has the Helm chart of Vaak. It has no code; its tests render the chart.
package helm
