package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.weir.server.codec.RequestDecoder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Early responses are sent or released. */
class Http1RequestTrackerTest {
  private final List<ByteBuf> responses = new ArrayList<>();
  private final EmbeddedChannel connection = new EmbeddedChannel();

  @BeforeEach
  void open() {
    ConnectionLimiter connectionLimiter =
        new ConnectionLimiter().with((here, request) -> earlyResponse());
    connection.pipeline().addLast("httpEncoder", new HttpResponseEncoder());
    connection
        .pipeline()
        .addLast(
            "heads",
            new Http1RequestTracker(
                new ConnectionHandler(connectionLimiter), connectionLimiter.decoder()));
    begin(); // the first one is dispatched
    connection.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
    respond();
    connection.releaseInbound();
    connection.releaseOutbound();
  }

  private ByteBuf earlyResponse() {
    ByteBuf response = Unpooled.copiedBuffer("HTTP/1.1 429 Too Many Requests\r\n\r\n", US_ASCII);
    responses.add(response);
    return response;
  }

  private HttpRequest begin(String... headers) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
    head.headers().set("Host", "a");
    for (int i = 0; i < headers.length; i += 2) {
      head.headers().set(headers[i], headers[i + 1]);
    }
    connection.writeInbound(head);
    return head;
  }

  private void respond() {
    connection.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT),
        LastHttpContent.EMPTY_LAST_CONTENT);
  }

  private ByteBuf part() {
    ByteBuf part = Unpooled.copiedBuffer("part", US_ASCII);
    connection.writeInbound(new DefaultHttpContent(part));
    return part;
  }

  @Test
  void sendsEarlyResponseAtTheEndOfTheRequest() {
    begin();
    assertThat((Object) connection.readOutbound()).isNull();
    ByteBuf part = part();
    connection.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat((Object) connection.readOutbound()).isSameAs(responses.get(0));
    assertThat((Object) connection.readInbound()).as("not dispatched").isNull();
    assertThat(part.refCnt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void releasesEarlyResponseOfUnfinishedRequest(boolean isClosed) {
    begin();
    ByteBuf part = part();
    if (isClosed) {
      connection.close();
    } else {
      connection.pipeline().remove(Http1RequestTracker.class);
    }
    assertThat(responses).hasSize(1).allMatch(response -> response.refCnt() == 0);
    assertThat(part.refCnt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Sec-WebSocket-Key1", "sec-websocket-key2"})
  void refusesHixie76WebSocket(String name) {
    assertThat(begin(name, "1 2").decoderResult().isFailure()).isTrue();
    assertThat(responses).isEmpty();
    ByteBuf part = part();
    assertThat(part.refCnt()).as("what follows may be anything").isZero();
  }

  /** A read of 64 KiB holds two thousand, which took megabytes when all were decoded at once. */
  @Test
  void decodesFewPipelinedRequestsAhead() {
    ConnectionLimiter connectionLimiter = new ConnectionLimiter();
    RequestDecoder decoder = connectionLimiter.decoder();
    EmbeddedChannel pipelined =
        new EmbeddedChannel(
            decoder,
            new HttpResponseEncoder(),
            new Http1RequestTracker(new ConnectionHandler(connectionLimiter), decoder));
    String requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000);
    pipelined.writeInbound(Unpooled.copiedBuffer(requests, US_ASCII));
    int decoded = decoded(pipelined);
    assertThat(decoded).isEqualTo(8);
    assertThat(pipelined.config().isAutoRead()).isFalse();
    for (int answered = 1; answered <= 1000; answered++) {
      pipelined.writeOutbound(
          new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT),
          LastHttpContent.EMPTY_LAST_CONTENT);
      pipelined.releaseOutbound();
      decoded += decoded(pipelined);
      assertThat(decoded).isEqualTo(Math.min(1000, 8 + answered));
    }
    assertThat(pipelined.config().isAutoRead()).isTrue();
    pipelined.finishAndReleaseAll();
  }

  private static int decoded(EmbeddedChannel connection) {
    connection.runPendingTasks();
    int requests = 0;
    for (Object each = connection.readInbound(); each != null; each = connection.readInbound()) {
      requests += each instanceof HttpRequest ? 1 : 0;
      ReferenceCountUtil.release(each);
    }
    return requests;
  }

  @Test
  void sendsNoEarlyResponseAfterLastRequest() {
    begin("Connection", "close");
    connection.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
    respond();
    begin();
    assertThat(responses).isEmpty();
  }
}
