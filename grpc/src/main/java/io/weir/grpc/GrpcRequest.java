package io.weir.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.weir.rules.AttributeSource;
import io.weir.rules.http.HttpFields;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The head of a call as rules see it, in HTTP terms. Attributes set by the application take
 * precedence over headers, even where the application's value is null.
 *
 * @param target {@code /package.Service/Method}
 * @param host the authority
 * @param attributes attributes set by the application
 */
record GrpcRequest(
    ServerCall<?, ?> call,
    Metadata headers,
    String target,
    @Nullable String host,
    String ip,
    Map<String, BiFunction<ServerCall<?, ?>, Metadata, @Nullable String>> attributes)
    implements HttpFields {
  private static final String BINARY = "-bin";
  private static final Pattern NAME = Pattern.compile("[0-9a-z._-]+");

  @Override
  public String method() {
    return "POST";
  }

  @Override
  public @Nullable String attribute(String name) {
    BiFunction<ServerCall<?, ?>, Metadata, @Nullable String> source = attributes.get(name);
    return source == null ? HttpFields.super.attribute(name) : source.apply(call, headers);
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    BiFunction<ServerCall<?, ?>, Metadata, @Nullable String> source = attributes.get(name);
    return source == null ? HttpFields.super.attribute(name, field) : source.apply(call, headers);
  }

  @Override
  public List<String> values(String header) {
    return values(headers, header);
  }

  @Override
  public Iterator<String> headerNames() {
    return headers.keys().iterator();
  }

  /** All values of a header; none if gRPC does not allow its name. */
  static List<String> values(Metadata headers, String header) {
    String name = header.toLowerCase(Locale.ROOT);
    if (name.endsWith(BINARY) || !NAME.matcher(name).matches()) {
      return List.of();
    }
    Iterable<String> found =
        headers.getAll(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    if (found == null) {
      return List.of();
    }
    List<String> values = new ArrayList<>(1);
    found.forEach(values::add);
    return values;
  }
}
