/**
 * Rules and the limiter that applies them to requests: which rules match, under which key, and
 * their combined decision.
 *
 * <p>Uses the library and {@code match}. Used by {@code file}, which reads rules, by {@code replay}
 * and {@code http}, and by every front end.
 */
@NullMarked
package io.weir.rules;

import org.jspecify.annotations.NullMarked;
