#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# responder.pl SOCKET FOLDER: an HTTP server on a unix socket that answers from files.
#
# GET /api/v1/sweeps/s1/points is answered with FOLDER/GET_sweeps_s1_points, an absent file with
# 404. A file may begin with "HTTP <status>" and a line break; then the body follows. When
# <name>.1, <name>.2, ... exist they are served one after the other, the last one for ever. A body
# "DROP" ends the connection without an answer. Answers carry an ETag, and If-None-Match gets 304.
# Each request is appended to FOLDER/requests as "METHOD target", the body of a POST to FOLDER/body.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use IO::Socket::UNIX;

use constant { BACKLOG => 16, LINE_MAX => 8192, HEADERS_MAX => 100, BODY_MAX => 1 << 20 };

my ($path, $folder) = @ARGV;
my %served;
my $server = IO::Socket::UNIX->new(Local => $path, Listen => BACKLOG) or die "$path: $!\n";

sub slurp
{
    my ($name) = @_;
    open(my $in, '<:raw', $name) or return;
    local $/ = undef;
    return <$in>;
}

sub append
{
    my ($name, $text) = @_;
    open(my $out, '>>:raw', "$folder/$name") or die "$name: $!\n";
    print $out $text;
    close($out);
    return;
}

sub read_request
{
    my ($client) = @_;
    my %request = (headers => {});
    my $first = <$client> // return;
    ($request{method}, $request{target}) = $first =~ m{^(\S+) (\S+) HTTP/1\.1\r\n} or return;
    for (1 .. HEADERS_MAX) {
        my $line = <$client> // return;
        last if $line eq "\r\n";
        my ($name, $value) = $line =~ /^([^:]+):\s*(.*?)\r\n/ or return;
        $request{headers}{lc $name} = $value;
    }
    my $length = $request{headers}{'content-length'} // 0;
    return if $length > BODY_MAX;
    read($client, $request{body}, $length) if $length;
    return \%request;
}

# The file that answers now.
sub file_of
{
    my ($request) = @_;
    my $name = $request->{target} =~ s{^/api/v1/}{}r;
    $name =~ s{[^A-Za-z0-9._=-]}{_}g;
    $name = "$folder/$request->{method}_$name";
    my $next = ($served{$name} // 0) + 1;
    return $name unless -e "$name.1";
    $next-- unless -e "$name.$next";
    $served{$name} = $next;
    return "$name.$next";
}

sub answer
{
    my ($client, $request) = @_;
    my $body = slurp(file_of($request));
    my $status = 200;
    if (!defined $body) {
        $status = 404;
        $body = '{"title":"Not found","status":404,"code":"not_found","detail":"no such page"}';
    }
    return if $body =~ /^DROP/;
    $status = $1 if $body =~ s/^HTTP (\d+)\n//;
    my $etag = '"' . md5_hex($body) . '"';
    if ($status == 200 && ($request->{headers}{'if-none-match'} // '') eq $etag) {
        ($status, $body) = (304, '');
    }
    print $client "HTTP/1.1 $status Status\r\nContent-Type: application/json\r\nETag: $etag\r\n",
        "Content-Length: ", length($body), "\r\nConnection: close\r\n\r\n", $body;
    return;
}

local $SIG{PIPE} = 'IGNORE';
append('ready', '');
while (my $client = $server->accept) {
    my $request = read_request($client);
    if ($request) {
        append('requests', "$request->{method} $request->{target}\n");
        append('body', "$request->{body}\n") if defined $request->{body};
        answer($client, $request);
    }
    close($client);
}
