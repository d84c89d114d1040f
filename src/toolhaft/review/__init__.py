"""What a reviewer reads and keeps: findings, locks, differences, manifests, reference pages."""
