/** Several nodes of Weir in processes of their own, and their clients. */
package io.weir.server.nodes;
