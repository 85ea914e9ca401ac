/**
 * What a rule says about the requests that it is for, and finding the rules that fit one request
 * without asking all of them.
 *
 * <p>Calls nothing of Weir. Called by the rules.
 */
@NullMarked
package io.weir.rules.match;

import org.jspecify.annotations.NullMarked;
