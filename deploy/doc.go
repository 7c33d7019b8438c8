// Package deploy has examples of deployments: dashboards, alerts, a Compose file and Kubernetes
// manifests. It has no code; its tests check that the examples are true.
package deploy
