/**
 * What servers say of their limits, in the headers of responses. Nothing in here trusts them; knows
 * no other room. Called by the client and by the rooms {@code pace} and {@code cache}.
 */
@NullMarked
package io.weir.client.quota;

import org.jspecify.annotations.NullMarked;
