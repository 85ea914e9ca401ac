package io.weir.rules;

import io.weir.Decision;

/**
 * What one rule says to one request.
 *
 * @param key whose bucket: the values of {@code per} joined by {@code |}, where {@code |} and
 *     {@code \} in them are escaped by {@code \}; empty without {@code per}
 */
public record Verdict(Rule rule, String key, Decision decision) {}
