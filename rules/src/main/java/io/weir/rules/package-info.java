/**
 * Rules and the limiter that applies them to requests: which rules match, under which key, and what
 * they decide together.
 *
 * <p>Calls the library and {@code match}. Called by {@code file}, which reads rules, by {@code
 * replay} and {@code http}, and by every front.
 */
@NullMarked
package io.weir.rules;

import org.jspecify.annotations.NullMarked;
