package io.weir.server.gateway;

import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import io.weir.rules.http.HttpFields;
import io.weir.rules.http.Target;
import io.weir.rules.match.Address;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request that has come in, as rules see it. Nothing is copied: a header is looked up
 * when a rule asks for it.
 *
 * @param target path and query, as they are passed on; see {@link Target}
 * @param peer the other end of the connection; null if it has no address
 * @param isFromProxy whether the peer is one whose word is taken
 * @param client the address of the client, by the word of such a peer; null if it has none
 */
record Head(
    String method,
    MultiMap headers,
    String target,
    @Nullable String host,
    @Nullable Address peer,
    boolean isFromProxy,
    @Nullable Address client)
    implements HttpFields {
  @Override
  public @Nullable String ip() {
    return client == null ? null : client.toString();
  }

  @Override
  public @Nullable String attribute(String name) {
    return name.equals("path") ? Target.path(target) : HttpFields.super.attribute(name);
  }

  @Override
  public List<String> values(String header) {
    return headers.getAll(header);
  }

  @Override
  public Iterator<CharSequence> headerNames() {
    var all = Fields.of(headers);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return all.hasNext();
      }

      @Override
      public CharSequence next() {
        return all.next().getKey();
      }
    };
  }

  /** Nearly every header is sent once: no list is made of it. */
  @Override
  public @Nullable String header(String name) {
    CharSequence found = null;
    for (var all = Fields.of(headers); all.hasNext(); ) {
      Map.Entry<? extends CharSequence, ? extends CharSequence> header = all.next();
      if (AsciiString.contentEqualsIgnoreCase(header.getKey(), name)) {
        if (found != null) {
          return HttpFields.super.header(name); // which refuses it
        }
        found = header.getValue();
      }
    }
    return found == null ? null : HttpFields.withoutBlanks(found.toString());
  }
}
