package io.weir.server.door;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.List;

/** Decodes the PROXY protocol header at the start of a connection; see {@link ProxyHeader}. */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class Introduction extends ByteToMessageDecoder {
  private final Guest guest;

  Introduction(Guest guest) {
    this.guest = guest;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (guest.place == Lobby.Place.SILENT) {
      guest.stand(Lobby.Place.HEAD);
    }
    try {
      ProxyHeader header = ProxyHeader.read(in);
      if (header != null) {
        in.skipBytes(header.length());
        if (header.client() != null) {
          ctx.channel()
              .attr(ConnectionBase.REMOTE_ADDRESS_OVERRIDE)
              .set(SocketAddress.inetSocketAddress(header.client()));
          guest.introduce(header.client());
        }
        ctx.pipeline().remove(this);
      }
    } catch (ProxyHeader.Malformed e) {
      in.skipBytes(in.readableBytes());
      ctx.close();
    }
  }

  /** Discards an incomplete header when the connection ends. */
  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    in.skipBytes(in.readableBytes());
  }
}
